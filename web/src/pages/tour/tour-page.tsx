import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { client } from '../../api/client.ts';
import { useViewer } from '../../api/viewer.ts';
import { BASE_URL } from '../../app/base-url.ts';
import { buttonClasses } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { everythingQuery } from '../explore/search/search-queries.ts';
import { useTourSteps } from './tour-steps.ts';

const WORD = 'trellis';

const ENDPOINT_CODE = `export default async function ({ body, q }: Scope<{ word: string }>) {
  return q().startAt('Word', body.word).out('Synset', 'HasSense').take(10).nodes();
}
`;

/**
 * Four steps over the sample graph: find, look, write, call. Who is no administrator can neither
 * write endpoints nor make tokens, and has the first two. What was done is remembered in this
 * browser.
 */
export function TourPage() {
  const viewer = useViewer();
  const steps = useTourSteps();
  const word = useSampleWord();
  return (
    <>
      <PageHeader
        title="First steps"
        description="A tour of five minutes through the sample graph WordNet: words, what they mean, and how meanings are related."
      />
      <ol className="flex max-w-3xl flex-col gap-4">
        <Step number={1} title="Find a word" steps={steps}>
          <p>Search finds words and meanings, even with small typing errors.</p>
          <Link to="/" search={{ q: WORD }} className={buttonClasses()}>
            Search for “{WORD}”
          </Link>
        </Step>
        <Step number={2} title="Look at it in the graph" steps={steps}>
          <p>Double-click a node, or press Enter on it in the table, and its neighbors appear.</p>
          {word === undefined ? (
            <p className="text-muted">The sample graph is not in this workspace: open any node.</p>
          ) : (
            <Link to="/graph" search={{ node: word }} className={buttonClasses()}>
              Open “{WORD}” in the graph
            </Link>
          )}
        </Step>
        {viewer?.seesAdministration === true && (
          <>
            <Step number={3} title="Write an endpoint" steps={steps}>
              <p>
                An endpoint is a TypeScript function that runs next to the data. Create one called{' '}
                <code className="font-mono">meanings</code> with this code, and run it.
              </p>
              <CodeBlock label="Code of the endpoint" text={ENDPOINT_CODE} />
              <Link to="/endpoints" className={buttonClasses()}>
                Open the endpoints
              </Link>
            </Step>
            <Step number={4} title="Call it with curl" steps={steps}>
              <p>
                With a token of the scope <code className="font-mono">endpoints:run</code>, made
                under Tokens, any program can call it.
              </p>
              <CodeBlock label="Call by curl" text={curlOf('meanings')} />
            </Step>
          </>
        )}
      </ol>
    </>
  );
}

interface StepProps {
  readonly number: number;
  readonly title: string;
  readonly steps: ReturnType<typeof useTourSteps>;
  readonly children: ReactNode;
}

function Step({ number, title, steps, children }: StepProps) {
  const isDone = steps.done.includes(number);
  return (
    <li>
      <Card
        title={`${number}. ${title}`}
        actions={
          <label className="flex items-center gap-2 text-[13px] text-muted">
            <input
              type="checkbox"
              className="size-4 accent-accent"
              checked={isDone}
              onChange={() => steps.toggle(number)}
            />
            Done
          </label>
        }
      >
        <div className="flex flex-col items-start gap-3">{children}</div>
      </Card>
    </li>
  );
}

function CodeBlock({ label, text }: { readonly label: string; readonly text: string }) {
  return (
    <div className="w-full">
      <pre
        tabIndex={0}
        role="region"
        aria-label={label}
        className="overflow-x-auto rounded-control border bg-sunken p-3 font-mono text-xs"
      >
        {text}
      </pre>
      <div className="mt-2">
        <CopyButton text={text} />
      </div>
    </div>
  );
}

/** The node of the sample's word; undefined where the sample is not loaded. */
function useSampleWord(): string | undefined {
  const types = useQuery(everythingQuery).data?.facets['Type'];
  const { data } = useQuery({
    queryKey: ['tour-word'],
    queryFn: ({ signal }) =>
      client.system.nodes({ type: 'Word', keys: [WORD], take: 1 }, { signal }),
    // Nodes of a type that is not in the schema cannot be asked for.
    enabled: types?.some(({ value }) => value === 'Word') === true,
  });
  return data?.items[0]?.UID;
}

function curlOf(name: string): string {
  const url = new URL(`api/endpoints/run/${name}`, BASE_URL).href;
  return `curl ${url} \\
  -H "authorization: Bearer $TOKEN" -H "content-type: application/json" \\
  -d '{"word":"${WORD}"}'
`;
}
