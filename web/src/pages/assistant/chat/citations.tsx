import { Link } from '@tanstack/react-router';
import type { ChatCitation } from '@trellis/contract/shapes/chat.ts';
import { LinkPreview } from '../../../ui/link-preview.tsx';

interface CitationLinkProps {
  readonly citation: ChatCitation;
  /** What the node is called. */
  readonly title: string;
}

/** The number of a source in an answer: leads to its node, and shows what was read there. */
export function CitationLink({ citation: { id, uid, text }, title }: CitationLinkProps) {
  return (
    <LinkPreview
      link={
        <Link
          to="/node/$uid"
          params={{ uid }}
          aria-label={`Source ${id}: ${title}`}
          className="mx-0.5 inline-flex h-4.5 min-w-4.5 items-center justify-center rounded bg-accent-soft px-1 align-[0.1em] text-xs leading-none font-medium text-accent-strong hover:bg-accent hover:text-on-accent"
        >
          {id}
        </Link>
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
              <Link
                to="/node/$uid"
                params={{ uid }}
                className="font-medium text-accent wrap-anywhere hover:underline"
              >
                <bdi>{titleOf(uid)}</bdi>
              </Link>
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
