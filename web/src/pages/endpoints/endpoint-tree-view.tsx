import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { EndpointMetrics } from '@trellis/contract/shapes/stats.ts';
import { ChevronRight, Folder } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { classNames } from '../../ui/class-names.ts';
import { formatCount, formatMs } from '../../ui/format.ts';
import { Time } from '../../ui/time.tsx';
import { EndpointBadges } from './endpoint-badges.tsx';
import { endpointMetricsQuery, type EndpointSummary } from './endpoint-queries.ts';
import { type EndpointFolder, treeOf } from './endpoint-tree.ts';
import { LacksIndexMark } from './lacks-index-mark.tsx';

interface EndpointTreeProps {
  readonly endpoints: readonly EndpointSummary[];
  /** UIDs, as of now; undefined while it is not known: then what was found at saving counts. */
  readonly failing: readonly string[] | undefined;
  readonly isFiltered: boolean;
}

interface TreeFacts {
  readonly failing: ReadonlySet<string>;
  readonly metrics: ReadonlyMap<string, EndpointMetrics>;
  readonly isOpenAtFirst: boolean;
}

/** So many stand open at first; of more there are only the folders. */
const OPEN_MAX = 200;
/** How many entries of a folder are shown at first; the others on request. */
const SHOWN_MAX = 300;

export function EndpointTree({ endpoints, failing, isFiltered }: EndpointTreeProps) {
  const metrics = useQuery(endpointMetricsQuery).data?.items ?? [];
  const saved = endpoints.filter(({ compiles }) => !compiles).map(({ UID }) => UID);
  const facts: TreeFacts = {
    failing: new Set(failing ?? saved),
    metrics: new Map(metrics.map((item) => [item.name, item])),
    isOpenAtFirst: isFiltered || endpoints.length <= OPEN_MAX,
  };
  return <FolderItems folder={treeOf(endpoints)} facts={facts} label="Endpoints" />;
}

interface FolderItemsProps {
  readonly folder: EndpointFolder<EndpointSummary>;
  readonly facts: TreeFacts;
  readonly label: string;
}

function FolderItems({ folder, facts, label }: FolderItemsProps) {
  const [shown, setShown] = useState(SHOWN_MAX);
  const hidden = folder.endpoints.length - shown;
  return (
    <ul aria-label={label} className={classNames(folder.path !== '' && 'ml-5 border-l')}>
      {folder.folders.map((inner) => (
        <FolderRow key={inner.path} folder={inner} facts={facts} />
      ))}
      {folder.endpoints.slice(0, shown).map((endpoint) => (
        <EndpointRow key={endpoint.UID} endpoint={endpoint} facts={facts} prefix={folder.path} />
      ))}
      {hidden > 0 && (
        <li className="px-4 py-2">
          <Button size="small" onClick={() => setShown(shown + SHOWN_MAX)}>
            Show more: {formatCount(hidden)} are left
          </Button>
        </li>
      )}
    </ul>
  );
}

function FolderRow({ folder, facts }: Omit<FolderItemsProps, 'label'>) {
  const [isOpen, setIsOpen] = useState(facts.isOpenAtFirst);
  return (
    <li className="border-b last:border-b-0">
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setIsOpen(!isOpen)}
        className="flex w-full items-center gap-2 px-4 py-2 text-left hover:bg-sunken/60"
      >
        <ChevronRight
          className={classNames('size-4 shrink-0 text-muted', isOpen && 'rotate-90')}
          aria-hidden
        />
        <Folder className="size-4 shrink-0 text-muted" aria-hidden />
        <span className="font-medium break-all">{folder.name}/</span>
        <span className="text-[13px] text-muted">{formatCount(folder.count)}</span>
      </button>
      {isOpen && <FolderItems folder={folder} facts={facts} label={folder.path} />}
    </li>
  );
}

interface EndpointRowProps {
  readonly endpoint: EndpointSummary;
  readonly facts: TreeFacts;
  readonly prefix: string;
}

function EndpointRow({ endpoint, facts, prefix }: EndpointRowProps) {
  const { name, description, UID } = endpoint;
  const metrics = facts.metrics.get(name);
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-1 border-b px-4 py-2 last:border-b-0 hover:bg-sunken/60">
      <div className="min-w-0 flex-1 basis-56">
        <Link
          to="/endpoints/edit/$"
          params={{ _splat: name }}
          aria-label={name}
          className="font-mono text-[13px] font-medium break-all text-accent hover:underline"
        >
          {name.slice(prefix.length)}
        </Link>
        {description !== '' && <p className="truncate text-[13px] text-muted">{description}</p>}
      </div>
      <EndpointBadges endpoint={endpoint} isFailing={facts.failing.has(UID)} />
      <LacksIndexMark metrics={metrics} />
      <Calls metrics={metrics} />
    </li>
  );
}

/** On the server that answers, since it started. */
function Calls({ metrics }: { readonly metrics: EndpointMetrics | undefined }) {
  const lastCalledAt = metrics?.lastCalledAt ?? null;
  return (
    <p className="w-full text-[13px] text-muted sm:w-52 sm:text-right">
      {metrics === undefined || lastCalledAt === null ? (
        'Not called yet'
      ) : (
        <>
          {formatCount(metrics.calls)} {metrics.calls === 1 ? 'call' : 'calls'}
          {metrics.p50Ms !== null && `, ${formatMs(metrics.p50Ms)}`}, <Time iso={lastCalledAt} />
        </>
      )}
    </p>
  );
}
