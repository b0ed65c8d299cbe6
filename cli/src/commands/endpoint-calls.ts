import { writeFile } from 'node:fs/promises';
import type { CallTrace, TraceSpan } from '@trellis/contract/shapes/call-trace.ts';
import type { EndpointCall } from '@trellis/contract/shapes/endpoint-work.ts';
import type { Command } from 'commander';
import type { CommandContext, Run } from '../command-context.ts';
import { CommandFailure } from '../failure.ts';
import { parseJson } from '../json-input.ts';
import { harmless, table } from '../terminal.ts';

/** `trellis endpoint calls` and `trellis endpoint trace`. */
export function addEndpointCalls(endpoint: Command, run: Run): void {
  endpoint
    .command('calls')
    .description('Lists the last calls of an endpoint on the server, newest first.')
    .argument('<name>', 'name of the endpoint')
    .addHelpText(
      'after',
      `
Examples:
  $ trellis endpoint calls lookup-word
  $ trellis endpoint calls lookup-word --json`,
    )
    .action(run(showCalls));
  endpoint
    .command('trace')
    .description('Shows what a call did, and how long each part took.')
    .argument('<id>', 'id of the trace, from "trellis endpoint calls"')
    .addHelpText(
      'after',
      `
Examples:
  $ trellis endpoint trace 5d41402abc4b2a76b9719d91
  $ trellis endpoint trace 5d41402abc4b2a76b9719d91 --json`,
    )
    .action(run(showTrace));
  endpoint
    .command('profile')
    .description('Runs the code of an endpoint as a draft, and writes a CPU profile of the run.')
    .argument('<name>', 'name of the endpoint')
    .argument('[body]', 'JSON to call it with')
    .requiredOption('--out <file>', 'the file to write, such as slow.cpuprofile')
    .addHelpText(
      'after',
      `
Its writes are tried, and thrown away. The tools of browsers and editors open the file.

Examples:
  $ trellis endpoint profile lookup-word '{"word":"dog"}' --out dog.cpuprofile`,
    )
    .action(run(profileRun));
}

async function profileRun(
  { client, output, terminal }: CommandContext,
  { out }: { readonly out: string },
  name: string,
  bodyText?: string,
): Promise<void> {
  const { signal } = terminal;
  const body: { body?: unknown } =
    bodyText === undefined ? {} : { body: parseJson(bodyText, 'the body') };
  const { code, isReadOnly } = await client.endpoints.get(name, { signal });
  const draft = { name, code, isReadOnly, ...body, profile: true };
  const { profile, status, error, ms } = await client.build.runDraft(draft, { signal });
  if (profile === undefined || profile === null) {
    throw new CommandFailure('There is no profile: the worker of the run has died.');
  }
  await writeFile(out, JSON.stringify(profile));
  if (error !== null) output.note(`It failed: ${harmless(error.message)}`);
  output.data({ name, status, ms, file: out }, `${name}: ${status} after ${ms} ms, ${out}`);
}

async function showCalls(
  { client, output, terminal }: CommandContext,
  _options: unknown,
  name: string,
): Promise<void> {
  const { items } = await client.build.listEndpointCalls(name, { signal: terminal.signal });
  const headings = ['AT', 'WHO', 'KIND', 'STATUS', 'MS', 'BYTES', 'TRACE'];
  output.data(items, table(headings, items.map(rowOf)));
}

function rowOf({ at, user, kind, status, code, ms, bytes, trace }: EndpointCall): string[] {
  const outcome = status === null ? 'cancelled' : [status, code].filter(Boolean).join(' ');
  return [at, user?.name ?? '-', kind, outcome, ms.toFixed(1), String(bytes), trace ?? '-'];
}

async function showTrace(
  { client, output, terminal }: CommandContext,
  _options: unknown,
  id: string,
): Promise<void> {
  const trace = await client.build.getCallTrace(id, { signal: terminal.signal });
  output.data(trace, traceText(trace));
}

function traceText(trace: CallTrace): string {
  const { endpoint, at, status, code, ms, cpuMs, heapBytes, attempts, reason, input } = trace;
  const outcome = status === null ? 'cancelled' : [status, code].filter(Boolean).join(' ');
  const used = [
    ...(cpuMs === null ? [] : [`processor ${cpuMs} ms`]),
    ...(heapBytes === null ? [] : [`heap ${Math.ceil(heapBytes / 1024 / 1024)} MB`]),
    ...(attempts > 1 ? [`${attempts} attempts`] : []),
  ];
  const head = [
    `${at} ${endpoint}: ${outcome} after ${ms} ms (${[`kept as ${reason}`, ...used].join(', ')})`,
    ...(input === null || input === '' ? [] : [`input ${input}`]),
  ];
  return [
    ...head.map(harmless),
    '',
    table(
      ['BEGIN', 'MS', 'WHAT', 'FACTS'],
      rowsBelow(trace.spans, null, '').map((row) => row.map(String)),
    ),
    ...trace.counted.map(({ name, count }) => harmless(`and ${name} ${count} times`)),
  ].join('\n');
}

/** A span and what is part of it, the parts indented. */
function rowsBelow(
  spans: readonly TraceSpan[],
  parent: number | null,
  indent: string,
): (readonly string[])[] {
  return spans
    .filter((span) => span.parent === parent)
    .flatMap(({ id, kind, name, startMs, ms, error, facts }) => [
      [
        startMs.toFixed(1),
        ms.toFixed(1),
        `${indent}${[kind, name].filter(Boolean).join(' ')}`,
        [...(error === null ? [] : [error]), ...factTexts(facts)].join(', '),
      ],
      ...rowsBelow(spans, id, `${indent}  `),
    ]);
}

function factTexts(facts: TraceSpan['facts']): string[] {
  return Object.entries(facts).map(([name, value]) => `${name} ${value}`);
}
