import { auditInMemory } from '#access/testing/audit-in-memory.ts';
import type { Caller } from '#access/caller.ts';
import { systemClock } from '#base/clock.ts';
import { openTestGraph, type TestGraph } from '#graph/testing/test-graph.ts';
import { EndpointLog } from '../endpoint-log.ts';
import { Invocation } from '../invocation.ts';
import { WriteTurns } from '../write-turns.ts';
import { OutboundRequests } from '../outbound-requests.ts';
import type { RunProgress } from '../pooled-runs.ts';
import { CallFault, type FaultKind, type LoadableScript } from '../sandbox/endpoint-call.ts';
import { EndpointPool } from '../sandbox/endpoint-pool.ts';
import {
  ADMIN,
  collectingLogger,
  enterEmptyFolder,
  LIBRARY,
  type LogRecord,
} from './test-endpoints.ts';

export interface TestCall {
  /** Code outside the function. */
  readonly top?: string;
  readonly name?: string;
  readonly version?: string;
  /** JSON text. */
  readonly body?: string;
  readonly isReadOnly?: boolean;
  readonly modules?: readonly LoadableScript[];
  /** What the code is given of them: see `LoadableScript`. */
  readonly imports?: readonly number[];
  readonly parameters?: string;
  readonly caller?: Caller;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: RunProgress) => void;
}

/**
 * The pool without the compiler in front of it: it runs any JavaScript, as code that slipped past
 * the compiler would be.
 */
export interface TestPool extends AsyncDisposable {
  readonly graph: TestGraph;
  readonly pool: EndpointPool;
  readonly log: LogRecord[];
  /** The value of an endpoint function's body, which has the scope as `scope`. */
  run(body: string, call?: TestCall): Promise<unknown>;
  /** The fault that a call ends with. */
  fault(body: string, call?: TestCall): Promise<{ kind: FaultKind; message: string }>;
}

const refuseNow = (): never => {
  throw new Error('this test reaches nobody else');
};
const refuse = async () => refuseNow();

export async function openTestPool(size = 1): Promise<TestPool> {
  await using opened = new AsyncDisposableStack();
  const graph = opened.use(await openTestGraph());
  await graph.addSchema(LIBRARY);
  opened.use(enterEmptyFolder());
  const log: LogRecord[] = [];
  const logger = collectingLogger(log);
  const { storage } = graph;
  const pool = EndpointPool.start({ storage, environmentKey: undefined, size, logger });
  opened.defer(() => pool.close());
  await pool.prepare();
  const run: TestPool['run'] = async (body, call = {}) => {
    const { isReadOnly = false, caller = ADMIN, timeoutMs = 60_000 } = call;
    const name = call.name ?? body;
    const signal = call.signal ?? new AbortController().signal;
    const request = { name, caller, body: call.body ?? '', headers: '{}', signal };
    const { onProgress } = call;
    const outside = {
      ...request,
      authorization: undefined,
      runKey: null,
      ...(onProgress && { onProgress }),
    };
    const result = await pool.run({
      endpoint: {
        name,
        version: call.version ?? body,
        script: {
          fileName: `${name}.ts`,
          script: `${call.top ?? ''}\nreturn async (scope) => {\n${body}\n};`,
          parameters: call.parameters ?? '',
          imports: call.imports ?? [],
        },
        modules: call.modules ?? [],
        isReadOnly,
      },
      ...request,
      deadline: performance.now() + timeoutMs,
      parent: undefined,
      sharesTransaction: false,
      host: new Invocation(
        { endpoint: name, isReadOnly, mayRunOnPrimary: true, isTrial: false, run: outside },
        {
          commits: graph.writer,
          clock: graph.clock,
          turns: new WriteTurns(),
          running: { check: () => {} },
          audit: auditInMemory(),
          logger,
          logs: new EndpointLog({ clock: systemClock, redact: (json) => json }),
          outbound: new OutboundRequests(refuse, () => [], { take: refuseNow }),
          runNested: refuse,
          runOnPrimary: refuse,
          embedQuery: refuse,
          models: { complete: refuse, embed: refuse, runAgent: refuse },
        },
      ),
    });
    return result.kind === 'answer' ? JSON.parse(result.json) : result;
  };
  const resources = opened.move();
  return {
    graph,
    pool,
    log,
    run,
    async fault(body, call) {
      const outcome: unknown = await run(body, call).catch((error: unknown) => error);
      if (outcome instanceof CallFault) return { kind: outcome.kind, message: outcome.message };
      throw new Error('expected a fault', { cause: outcome });
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}
