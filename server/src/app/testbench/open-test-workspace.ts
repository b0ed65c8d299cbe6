import { RunningCallers } from '#access/running-callers.ts';
import { systemClock } from '#base/clock.ts';
import { GraphWriter } from '#graph/graph-writer.ts';
import { StateReader } from '#graph/state-reader.ts';
import { StoredAuditTrail } from '#identity/audit-trail.ts';
import { EndpointLog } from '#runtime/endpoint-log.ts';
import { EndpointRuntime } from '#runtime/endpoint-runtime.ts';
import { InProcessPool, provideGlobals } from '#runtime/in-process/in-process-pool.ts';
import { OutboundRequests } from '#runtime/outbound-requests.ts';
import { MemoryState } from '#store/memory-state.ts';
import type { TestWorkspace, TestWorkspaceOptions } from '@trellis/endpoint/testing.ts';
import { ADMINISTRATOR } from './administrator.ts';
import { addContent } from './bench-content.ts';
import { BenchEndpoints } from './bench-endpoints.ts';
import { BenchLog } from './bench-log.ts';
import { BenchModels } from './bench-models.ts';
import { BenchSearch } from './bench-search.ts';
import { BenchWorkspace } from './bench-workspace.ts';

// When this is loaded and not later: the files of endpoints name `z` at their top level.
provideGlobals();

/**
 * The parts of a server that decide what an endpoint sees and does, over state in memory, with its
 * code in the realm of the process: see `testWorkspace` of `@trellis/endpoint/testing`.
 */
export async function openTestWorkspace(options: TestWorkspaceOptions): Promise<TestWorkspace> {
  const state = new MemoryState();
  const clock = options.now === undefined ? systemClock : { now: options.now };
  const writer = new GraphWriter(state, clock);
  await writer.addSystemSchema();
  const reader = new StateReader(state, state);
  const log = new BenchLog();
  const audit = new StoredAuditTrail({ reader, commits: writer, logger: log, clock });
  await addContent({ writer, audit, administrator: ADMINISTRATOR }, options);
  const search = new BenchSearch({ reader, writer, audit, embed: options.embed });
  if (options.search !== undefined) await search.put(ADMINISTRATOR, options.search);
  const pool = new InProcessPool(reader, search.live);
  const endpoints = new BenchEndpoints(pool);
  for (const [path, endpoint] of Object.entries(options.endpoints ?? {})) {
    await endpoints.register(path, endpoint);
  }
  const answers = options.fetch ?? {};
  const runtime = new EndpointRuntime({
    store: endpoints,
    pool,
    reader,
    commits: writer,
    audit,
    logger: log,
    logs: new EndpointLog({ clock, redact: (json) => json }),
    clock,
    isReplica: false,
    outbound: new OutboundRequests(
      async (address, request) => answers[new URL(address).origin]!(address, request),
      () => Object.keys(answers),
    ),
    primary: null,
    embedQuery: search.embedQuery,
    models: new BenchModels(options.ai),
    // Nobody's rights change while a test runs.
    running: new RunningCallers({ again: (caller) => caller }),
  });
  return new BenchWorkspace({ state, reader, pool, endpoints, runtime, search, log });
}
