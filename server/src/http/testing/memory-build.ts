import type { EndpointDefinition } from '@trellis/contract/shapes/endpoint.ts';
import { endpointSettings } from '@trellis/contract/shapes/endpoint.ts';
import type { HttpServices } from '../services.ts';

const UID = '1111111111111111111112';
const AT = '2026-11-20T00:00:00.000Z';
const ADA = { uid: UID, name: 'ada' };

/** One endpoint, which does not compile. */
export function memoryBuild(): HttpServices['build'] {
  return {
    compileStatus: () => ({ FailingIds: [UID], Pending: true }),
    catalog: () => ({
      items: [
        {
          uid: UID,
          kind: 'endpoint',
          name: 'words/lookup',
          folder: 'words',
          isReadOnly: false,
          mayRunOnPrimary: false,
          compiles: false,
          updatedAt: AT,
          updatedBy: ADA,
        },
      ],
    }),
    types: (_caller, scope) => `declare const scope: '${scope}';\n`,
  };
}

/** Completes everything with its own code, once `wait` has resolved. */
export function memoryEditor(wait: () => Promise<void>): HttpServices['editor'] {
  return {
    completions: async (_caller, { code }) => {
      await wait();
      return { items: [{ label: code, kind: 'text' }], isIncomplete: false };
    },
    hover: async () => null,
    signatureHelp: async () => null,
  };
}

/** Every item has two versions, the one like the other. */
export function memoryCodeHistory(
  find: (name: string) => EndpointDefinition,
): HttpServices['codeHistory'] {
  const change = (name: string, version: number) =>
    ({ uid: UID, kind: 'endpoint', name, version, at: AT, by: ADA, action: 'changed' }) as const;
  const run = (version: number) => ({ version, status: 200, body: 1, error: null, ms: 0.5 });
  return {
    list: (_caller, { skip, take }) => ({
      items: [{ ...change('words/lookup', 2), diff: '' }],
      total: 1,
      skip,
      take,
    }),
    listItem: (_caller, { name }, { skip, take }) => ({
      items: [{ ...change(name, 2), diff: '' }],
      total: 2,
      skip,
      take,
    }),
    version: (_caller, { name }, version) => {
      const definition = find(name);
      const settings = Object.fromEntries(
        Object.entries(definition).filter(([key]) => Object.hasOwn(endpointSettings, key)),
      ) as Pick<EndpointDefinition, keyof typeof endpointSettings>;
      return { ...change(name, version), settings, code: definition.code };
    },
    diff: (_caller, { name }, { from = 1, to = 2 }) => ({
      uid: UID,
      kind: 'endpoint',
      name,
      from,
      to,
      diff: '',
    }),
    restore: async (_caller, { name }) => find(name),
    compare: async (_caller, _item, { version, with: other = 2 }) => ({
      isEqual: true,
      runs: [run(version), run(other)],
    }),
    inputs: () => ({ keep: 1, inputs: [{ id: 7, at: AT, body: '{}' }] }),
    recordInputs: (_caller, _item, keep) => ({ keep, inputs: [] }),
  };
}

export function memoryStatistics(): HttpServices['statistics'] {
  return {
    endpoints: () => ({
      items: [
        {
          name: 'words/lookup',
          calls: 0,
          errors: 0,
          errorRate: 0,
          averageMs: null,
          p50Ms: null,
          p95Ms: null,
          p99Ms: null,
          lastCalledAt: null,
        },
      ],
    }),
    overview: () => ({
      nodes: 2,
      edges: 0,
      sequence: 7,
      types: [{ type: 'Word', nodes: 2 }],
      edgeTypes: [{ type: 'HasSense', edges: 0 }],
      sampleIntervalMs: 10_000,
      samples: [
        {
          at: AT,
          commitsPerSecond: 0.5,
          operationsPerSecond: 1,
          callsPerSecond: 0,
          rssBytes: 1,
          diskFreeBytes: null,
        },
      ],
    }),
    database: () => 'NODE TYPE  NODES\n',
    pool: () => 'COUNTER  VALUE\n',
  };
}

/** One line; whoever watches is given it once, and that is all. */
export function memoryEndpointLogs(): HttpServices['endpointLogs'] {
  const line = {
    sequence: 7,
    at: AT,
    endpoint: 'words/lookup',
    level: 'info',
    message: 'looked up',
    user: UID,
    run: 1,
  } as const;
  return {
    list: (_caller, { skip, take }) => ({ items: [line], total: 1, skip, take }),
    async *watch() {
      yield { lines: [line], dropped: 0, sequence: line.sequence };
    },
  };
}
