import { Link } from '@tanstack/react-router';
import { Check } from 'lucide-react';
import type { ReactNode } from 'react';
import { BASE_URL } from '../../app/base-url.ts';
import { Badge } from '../../ui/badge.tsx';
import { buttonClasses } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { formatCount } from '../../ui/format.ts';
import { PageHeader } from '../../ui/page-header.tsx';
import {
  type Sample,
  SAMPLE_WORD,
  type StepState,
  type TourStep,
  useSample,
  useTourSteps,
} from './tour-steps.ts';

const SAMPLE_CODE = `export default async function ({ body, q }: Scope<{ word: string }>) {
  return q().startAt('Word', body.word).out('Synset', 'HasSense').take(10).nodes();
}
`;

const STEPS: Readonly<
  Record<TourStep, { readonly title: string; readonly Body: () => ReactNode }>
> = {
  search: { title: 'Find something', Body: SearchBody },
  graph: { title: 'Look at it in the graph', Body: GraphBody },
  ask: { title: 'Ask the assistant', Body: AskBody },
  import: { title: 'Bring in your data', Body: ImportBody },
  endpoint: { title: 'Write an endpoint', Body: EndpointBody },
  token: { title: 'Make a token', Body: TokenBody },
  call: { title: 'Call it from outside', Body: CallBody },
  users: { title: 'Let others in', Body: UsersBody },
  backup: { title: 'Make a backup', Body: BackupBody },
};

/** What the viewer can do here first; each step says by itself whether it is done. */
export function TourPage() {
  const { steps, isKnown } = useTourSteps();
  const done = steps.filter(({ isDone }) => isDone === true).length;
  return (
    <>
      <PageHeader
        title="First steps"
        description="What you can do here, in a good order. A step is ticked when it is done."
      />
      {isKnown && (
        <p role="status" className="mb-4 text-muted">
          {formatCount(done)} of {formatCount(steps.length)} steps are done.
        </p>
      )}
      <ol className="flex max-w-3xl flex-col gap-4">
        {steps.map((state, at) => (
          <Step key={state.step} number={at + 1} {...state} />
        ))}
      </ol>
    </>
  );
}

function Step({ number, step, isDone }: StepState & { readonly number: number }) {
  const { title, Body } = STEPS[step];
  return (
    <li>
      <Card title={`${number}. ${title}`} actions={<Standing isDone={isDone} />}>
        <div className="flex flex-col items-start gap-3">
          <Body />
        </div>
      </Card>
    </li>
  );
}

function Standing({ isDone }: Pick<StepState, 'isDone'>) {
  if (isDone === undefined) return null;
  if (!isDone) return <Badge>To do</Badge>;
  return (
    <Badge tone="good">
      <Check className="size-3" aria-hidden />
      Done
    </Badge>
  );
}

function SearchBody() {
  const sample = useSample();
  return (
    <>
      <p>Search finds nodes by their names and texts, even with small typing errors.</p>
      {sample !== undefined && sample.word === undefined && (
        <Link to="/" className={buttonClasses()}>
          Open the search
        </Link>
      )}
      {sample?.word !== undefined && (
        <Link to="/" search={{ q: SAMPLE_WORD }} className={buttonClasses()}>
          Search for “{SAMPLE_WORD}”
        </Link>
      )}
    </>
  );
}

function GraphBody() {
  const sample = useSample();
  const node = sample?.word ?? sample?.newest;
  return (
    <>
      <p>Double-click a node, or press Enter on it in the table, and its neighbors appear.</p>
      {node !== undefined && (
        <Link to="/graph" search={{ node }} className={buttonClasses()}>
          {sample?.word === undefined
            ? 'Open the newest node in the graph'
            : `Open “${SAMPLE_WORD}” in the graph`}
        </Link>
      )}
      {sample !== undefined && node === undefined && (
        <p className="text-muted">There is no node yet that you may see.</p>
      )}
    </>
  );
}

function AskBody() {
  return (
    <>
      <p>It answers from the nodes that you may see, and says which they are.</p>
      <Link to="/chat/{-$uid}" className={buttonClasses()}>
        Ask a question
      </Link>
    </>
  );
}

function ImportBody() {
  return (
    <>
      <p>A CSV or JSONL file becomes nodes and edges. Types are made from its columns.</p>
      <Link to="/admin/import" className={buttonClasses()}>
        Import a file
      </Link>
    </>
  );
}

function EndpointBody() {
  const sample = useSample();
  return (
    <>
      <p>
        An endpoint is a TypeScript function that runs next to the data. Create one called{' '}
        <code className="font-mono">first</code> with this code, and run it.
      </p>
      {sample !== undefined && (
        <CodeBlock label="Code of the endpoint" text={endpointCode(sample)} />
      )}
      <Link to="/endpoints" className={buttonClasses()}>
        Open the endpoints
      </Link>
    </>
  );
}

function TokenBody() {
  return (
    <>
      <p>
        Other programs sign in by a token. One of the scope{' '}
        <code className="font-mono">endpoints:run</code> may call endpoints, and nothing else.
      </p>
      <Link to="/manage/access/tokens" className={buttonClasses()}>
        Open the tokens
      </Link>
    </>
  );
}

function CallBody() {
  const sample = useSample();
  const body = sample?.word === undefined ? '{}' : JSON.stringify({ word: SAMPLE_WORD });
  return (
    <>
      <p>With the token any program can call it, such as curl.</p>
      <CodeBlock label="Call by curl" text={curlOf('first', body)} />
    </>
  );
}

function UsersBody() {
  return (
    <>
      <p>Each user sees what they may see. Teams share what not everybody may.</p>
      <Link to="/manage/access/users" className={buttonClasses()}>
        Add a user
      </Link>
    </>
  );
}

function BackupBody() {
  return (
    <>
      <p>Backups are made while the server goes on, and compared with what they were made of.</p>
      <Link to="/admin/backups" className={buttonClasses()}>
        Open the backups
      </Link>
    </>
  );
}

/** For the sample where it is there; else for a type that has nodes. */
function endpointCode({ word, type = 'Book' }: Sample): string {
  if (word !== undefined) return SAMPLE_CODE;
  return `export default async function ({ q }: Scope) {
  return q().startAt(${JSON.stringify(type)}).take(10).nodes();
}
`;
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

function curlOf(name: string, body: string): string {
  const url = new URL(`api/endpoints/run/${name}`, BASE_URL).href;
  return `curl ${url} \\
  -H "authorization: Bearer $TOKEN" -H "content-type: application/json" \\
  -d '${body}'
`;
}
