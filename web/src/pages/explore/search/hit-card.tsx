import type { SearchHit } from '@trellis/client/system-search.ts';
import { Link } from '@tanstack/react-router';
import { CircleHelp, Network } from 'lucide-react';
import { fieldsOf, labelOf } from '../../../api/node-label.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button, buttonClasses } from '../../../ui/button.tsx';
import { Time } from '../../../ui/time.tsx';
import { EditBeside } from '../../data/edit-link.tsx';
import { MarkedText } from './marked-text.tsx';

const FIELDS_SHOWN = 3;
const SNIPPETS_SHOWN = 2;
const EXCERPT_CHARACTERS = 240;

const FOUND_BY = { text: 'Words', vector: 'Meaning', both: 'Words and meaning' } as const;

interface HitCardProps {
  readonly hit: SearchHit;
  /** Whether it is said what found it: there is more than one way. */
  readonly showsFrom: boolean;
  readonly onExplain: () => void;
}

/** One node that was found, and where the words stand in it. */
export function HitCard({ hit, showsFrom, onExplain }: HitCardProps) {
  const { node, from } = hit;
  const label = labelOf(node);
  const title = hit.highlights
    .flatMap(({ snippets }) => snippets)
    .find(({ text }) => text === label);
  return (
    <article className="rounded-card border bg-surface p-4" aria-label={label}>
      <div className="flex flex-wrap items-baseline gap-x-2 gap-y-1">
        <h3 className="min-w-0 text-base font-semibold wrap-anywhere">
          <Link
            to="/node/$uid"
            params={{ uid: node.UID }}
            className="text-accent hover:underline focus-visible:underline"
          >
            <MarkedText text={label} matches={title?.matches ?? []} />
          </Link>
        </h3>
        <Badge>{hit.fileOf === undefined ? node.Type : 'File'}</Badge>
        {showsFrom && <Badge tone="info">{FOUND_BY[from]}</Badge>}
      </div>
      <OfNode hit={hit} />
      <Passages hit={hit} label={label} />
      <div className="mt-2 flex flex-wrap items-center gap-x-3 gap-y-1 text-[13px] text-muted">
        <Time iso={node.Timestamp} />
        {node.Id !== undefined && node.Id !== label && (
          <bdi className="max-w-56 min-w-0 truncate max-sm:hidden" title={node.Id}>
            {node.Id}
          </bdi>
        )}
        <span className="-my-1 ml-auto flex gap-1">
          <EditBeside node={node} page="/" kind="quiet" />
          <Link
            to="/graph"
            search={{ node: node.UID }}
            className={buttonClasses('quiet', 'small')}
            aria-label={`Open ${label} in the graph`}
          >
            <Network className="size-4" aria-hidden />
            Graph
          </Link>
          <Button
            kind="quiet"
            size="small"
            icon={CircleHelp}
            aria-label={`Why was ${label} found?`}
            onClick={onExplain}
          >
            Why?
          </Button>
        </span>
      </div>
    </article>
  );
}

/** Where a file is. */
function OfNode({ hit: { fileOf } }: { readonly hit: SearchHit }) {
  if (fileOf === undefined) return null;
  return (
    <p className="mt-1 text-muted">
      In{' '}
      <Link
        to="/node/$uid"
        params={{ uid: fileOf.UID }}
        className="text-accent wrap-anywhere hover:underline"
      >
        <bdi>{labelOf(fileOf)}</bdi>
      </Link>
    </p>
  );
}

function Passages({ hit, label }: { readonly hit: SearchHit; readonly label: string }) {
  const found = hit.highlights
    .map(({ field, snippets }) => ({
      field,
      snippets: snippets.filter(({ text }) => text !== label).slice(0, SNIPPETS_SHOWN),
    }))
    .filter(({ snippets }) => snippets.length > 0)
    .slice(0, FIELDS_SHOWN);
  if (found.length === 0) {
    const excerpt = excerptOf(hit, label);
    return excerpt !== undefined && <p className="mt-1 text-muted wrap-anywhere">{excerpt}</p>;
  }
  return (
    <dl className="mt-1.5 flex flex-col gap-1">
      {found.map(({ field, snippets }) => (
        <div key={field} className="min-w-0 sm:flex sm:gap-3">
          <dt className="shrink-0 truncate text-[13px] leading-6 text-muted sm:w-28">{field}</dt>
          <dd className="min-w-0 wrap-anywhere">
            {snippets.map(({ text, start, matches, item }) => (
              <p key={`${item ?? 0}:${start}`}>
                {start > 0 && '… '}
                <MarkedText text={text} matches={matches} />
              </p>
            ))}
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** How the first text begins that is not its name. */
function excerptOf({ node }: SearchHit, label: string): string | undefined {
  const name = label.replace(/…$/, '');
  for (const [, value] of fieldsOf(node)) {
    if (typeof value !== 'string' || value.startsWith(name) || !/\s/.test(value.trim())) continue;
    return value.length > EXCERPT_CHARACTERS ? `${value.slice(0, EXCERPT_CHARACTERS)}…` : value;
  }
  return undefined;
}
