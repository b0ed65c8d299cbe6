import { Link } from '@tanstack/react-router';
import type { ChatCitation } from '@trellis/contract/shapes/chat.ts';
import type { ReactNode } from 'react';
import { LinkPreview } from '../../../ui/link-preview.tsx';

interface CitationLinkProps {
  readonly citation: ChatCitation;
  /** What the node is called. */
  readonly title: string;
}

/** The number of a source in an answer: opens its record beside, and shows what was read there. */
export function CitationLink({ citation: { id, text }, title }: CitationLinkProps) {
  return (
    <LinkPreview
      link={
        <SourceLink
          id={id}
          label={`Source ${id}: ${title}`}
          className="mx-0.5 inline-flex h-4.5 min-w-4.5 items-center justify-center rounded bg-accent-soft px-1 align-[0.1em] text-xs leading-none font-medium text-accent-strong hover:bg-accent hover:text-on-accent pointer-coarse:h-6 pointer-coarse:min-w-6"
        >
          {id}
        </SourceLink>
      }
    >
      <bdi className="block font-medium wrap-anywhere">{title}</bdi>
      <p dir="auto" className="mt-1 line-clamp-8 text-[13px] text-muted wrap-anywhere">
        {text}
      </p>
    </LinkPreview>
  );
}

interface SourceLinkProps {
  readonly id: number;
  readonly label?: string;
  readonly className: string;
  readonly children: ReactNode;
}

/** To the same page, with the record of a source beside it. */
export function SourceLink({ id, label, className, children, ...rest }: SourceLinkProps) {
  return (
    <Link
      {...rest}
      to="."
      search={(last: object) => ({ ...last, source: String(id) })}
      resetScroll={false}
      data-source={id}
      className={className}
      {...(label !== undefined && { 'aria-label': label })}
    >
      {children}
    </Link>
  );
}

interface SourceListProps {
  readonly citations: readonly ChatCitation[];
  readonly titleOf: (uid: string) => string;
}

/** All that an answer names, with what was read. */
export function SourceList({ citations, titleOf }: SourceListProps) {
  if (citations.length === 0) return null;
  return (
    <details className="rounded-control border bg-surface">
      <summary className="px-3 py-1.5 text-[13px] font-medium hover:bg-sunken">
        {citations.length === 1 ? '1 source' : `${citations.length} sources`}
      </summary>
      <ol aria-label="Sources" className="flex flex-col gap-2 border-t p-3">
        {citations.map(({ id, uid, text }) => (
          <li key={id} className="flex gap-2 text-[13px]">
            <span className="w-5 shrink-0 text-right text-muted tabular-nums">{id}</span>
            <div className="min-w-0">
              <SourceLink id={id} className="font-medium text-accent wrap-anywhere hover:underline">
                <bdi>{titleOf(uid)}</bdi>
              </SourceLink>
              <p dir="auto" className="line-clamp-3 text-muted wrap-anywhere">
                {text}
              </p>
            </div>
          </li>
        ))}
      </ol>
    </details>
  );
}
