import type { FacetCount } from '@trellis/client/system-search.ts';
import type { NodeObject } from '@trellis/contract/shapes/node.ts';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Inbox } from 'lucide-react';
import { labelOf } from '../../../api/node-label.ts';
import { useViewer } from '../../../api/viewer.ts';
import { buttonClasses } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { formatCount } from '../../../ui/format.ts';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { Time } from '../../../ui/time.tsx';
import { everythingQuery } from './search-queries.ts';
import { SearchFailure } from './search-failure.tsx';

/** As long as nothing is looked for: what there is, and how to ask. */
export function SearchStart() {
  const everything = useQuery(everythingQuery);
  if (everything.isError) {
    return <SearchFailure error={everything.error} onRetry={everything.refetch} />;
  }
  if (everything.data === undefined) return <Skeleton rows={8} />;
  const { hits, facets, total } = everything.data;
  if (total === 0) return <NothingToFind />;
  return (
    <div className="grid max-w-6xl grid-cols-1 items-start gap-4 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
      <div className="flex min-w-0 flex-col gap-4">
        <Card title="What is here" description={`${formatCount(total)} nodes that you can find.`}>
          <TypeLinks counts={facets['Type'] ?? []} />
        </Card>
        <Card title="Latest">
          <LatestNodes nodes={hits.map(({ node }) => node)} />
        </Card>
      </div>
      <HowToAsk examples={examplesOf(hits.map(({ node }) => labelOf(node)))} />
    </div>
  );
}

function TypeLinks({ counts }: { readonly counts: readonly FacetCount[] }) {
  return (
    <ul className="flex flex-wrap gap-2">
      {counts.map(({ value, count }) => (
        <li key={value} className="max-w-full">
          <Link
            to="/"
            search={{ type: [value] }}
            className="inline-flex max-w-full items-baseline gap-2 rounded-control border px-2.5 py-1 hover:bg-sunken"
          >
            <bdi className="min-w-0 truncate">{value}</bdi>
            <span className="text-[13px] text-muted tabular-nums">{formatCount(count)}</span>
          </Link>
        </li>
      ))}
    </ul>
  );
}

function LatestNodes({ nodes }: { readonly nodes: readonly NodeObject[] }) {
  return (
    <ul className="-my-1.5 divide-y">
      {nodes.map((node) => (
        <li key={node.UID} className="flex items-baseline gap-3 py-1.5">
          <Link
            to="/node/$uid"
            params={{ uid: node.UID }}
            className="min-w-0 truncate text-accent hover:underline"
          >
            <bdi>{labelOf(node)}</bdi>
          </Link>
          <span className="shrink-0 text-[13px] text-muted">{node.Type}</span>
          <span className="ml-auto shrink-0 text-[13px] text-muted max-sm:hidden">
            <Time iso={node.Timestamp} />
          </span>
        </li>
      ))}
    </ul>
  );
}

/** Words of two nodes that there are, so that each example finds something. */
function examplesOf(labels: readonly string[]): readonly string[] {
  const words = labels.flatMap((label) => /\p{L}{3,}/u.exec(label)?.[0].toLowerCase() ?? []);
  const [one = 'harbour', other = 'island'] = [...new Set(words)];
  return [one, other];
}

function HowToAsk({ examples: [one = '', other = ''] }: { readonly examples: readonly string[] }) {
  const ways = [
    { query: one, what: 'the word, in any form' },
    { query: `${one} OR ${other}`, what: 'either word' },
    { query: `"${one}"`, what: 'exactly these words' },
    { query: `${one.slice(0, 3)}*`, what: 'words that begin with these letters' },
    { query: `${one} -${other}`, what: 'the first word, without the second' },
  ];
  return (
    <Card title="How to search" description="Small typing errors do not matter.">
      <ul className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1">
        {ways.map(({ query, what }) => (
          <li key={query} className="contents">
            <Link
              to="/"
              search={{ q: query }}
              className="font-mono text-[13px] text-accent underline"
            >
              {query}
            </Link>
            <span className="text-muted">{what}</span>
          </li>
        ))}
      </ul>
    </Card>
  );
}

function NothingToFind() {
  const viewer = useViewer();
  if (viewer?.seesAdministration !== true) {
    return (
      <EmptyState icon={Inbox} title="There is nothing to find yet">
        The workspace is empty, or you may not see what is in it. Ask an administrator.
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon={Inbox}
      title="There is nothing to find yet"
      action={
        <div className="flex flex-wrap justify-center gap-2">
          <Link to="/admin/import" className={buttonClasses('primary')}>
            Import data
          </Link>
          <Link to="/admin/search" className={buttonClasses()}>
            Search settings
          </Link>
        </div>
      }
    >
      Import data. If there is some already, choose in the search settings which types and fields
      are searched.
    </EmptyState>
  );
}
