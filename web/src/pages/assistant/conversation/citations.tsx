import { Link } from '@tanstack/react-router';
import type { ChatCitation } from '@trellis/contract/shapes/chat.ts';
import type { ComponentType, ReactNode } from 'react';
import { LinkPreview } from '../../../ui/link-preview.tsx';

export interface SourceLinkProps {
  readonly citation: Pick<ChatCitation, 'id' | 'uid'>;
  /** What is read out instead of what is in it. */
  readonly label?: string;
  readonly className: string;
  readonly children: ReactNode;
}

/** Leads to the node of a source, wherever the page shows it. */
export type SourceLink = ComponentType<SourceLinkProps>;

/** To the page of the node. */
export function NodeLink({
  citation: { uid },
  label,
  className,
  children,
  ...rest
}: SourceLinkProps) {
  return (
    <Link
      {...rest}
      to="/node/$uid"
      params={{ uid }}
      className={className}
      {...(label !== undefined && { 'aria-label': label })}
    >
      {children}
    </Link>
  );
}

interface CitationLinkProps {
  readonly link: SourceLink;
  readonly citation: ChatCitation;
  /** What the node is called. */
  readonly title: string;
}

/** The number of a source in an answer: leads to its node, and shows what was read there. */
export function CitationLink({ link: Source, citation, title }: CitationLinkProps) {
  const { id, text } = citation;
  return (
    <LinkPreview
      link={
        <Source
          citation={citation}
          label={`Source ${id}: ${title}`}
          className="mx-0.5 inline-flex h-4.5 min-w-4.5 items-center justify-center rounded bg-accent-soft px-1 align-[0.1em] text-xs leading-none font-medium text-accent-strong hover:bg-accent hover:text-on-accent pointer-coarse:h-6 pointer-coarse:min-w-6"
        >
          {id}
        </Source>
      }
    >
      <bdi className="block font-medium wrap-anywhere">{title}</bdi>
      <p dir="auto" className="mt-1 line-clamp-8 text-[13px] text-muted wrap-anywhere">
        {text}
      </p>
    </LinkPreview>
  );
}

interface SourceListProps {
  readonly link: SourceLink;
  readonly citations: readonly ChatCitation[];
  readonly titleOf: (uid: string) => string;
}

/** All that an answer names, with what was read. */
export function SourceList({ link: Source, citations, titleOf }: SourceListProps) {
  if (citations.length === 0) return null;
  return (
    <details className="rounded-control border bg-surface">
      <summary className="px-3 py-1.5 text-[13px] font-medium hover:bg-sunken">
        {citations.length === 1 ? '1 source' : `${citations.length} sources`}
      </summary>
      <ol aria-label="Sources" className="flex flex-col gap-2 border-t p-3">
        {citations.map((citation) => (
          <li key={citation.id} className="flex gap-2 text-[13px]">
            <span className="w-5 shrink-0 text-right text-muted tabular-nums">{citation.id}</span>
            <div className="min-w-0">
              <Source
                citation={citation}
                className="font-medium text-accent wrap-anywhere hover:underline"
              >
                <bdi>{titleOf(citation.uid)}</bdi>
              </Source>
              <p dir="auto" className="line-clamp-3 text-muted wrap-anywhere">
                {citation.text}
              </p>
            </div>
          </li>
        ))}
      </ol>
    </details>
  );
}
