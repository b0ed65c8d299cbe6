/** Something to begin a new endpoint with. */
export interface EndpointTemplate {
  readonly id: string;
  readonly label: string;
  readonly code: string;
}

const ANSWER: EndpointTemplate = {
  id: 'answer',
  label: 'Answer with JSON',
  code: `export default async function ({ body, CurrentUser }: Scope) {
  return { received: body, user: CurrentUser?.UID ?? null };
}
`,
};

const INPUT: EndpointTemplate = {
  id: 'input',
  label: 'Check the body first',
  code: `export const input = z.object({
  name: z.string().min(1),
  take: z.int().min(1).max(100).default(10),
});

export default async function ({ body }: Scope<typeof input>) {
  return { hello: body.name, take: body.take };
}
`,
};

const PROGRESS: EndpointTemplate = {
  id: 'progress',
  label: 'Run long, and report progress',
  code: `export default async function ({ log, progress, signal }: Scope) {
  const steps = 10;
  for (let step = 1; step <= steps && !signal.aborted; step++) {
    progress(step / steps, \`Step \${step} of \${steps}\`);
    log.info('step', { step });
  }
  return { steps };
}
`,
};

/**
 * The names of node types go into the code: only those that the schema lets stand in a text as they
 * are.
 */
const PLAIN_NAME = /^[\w-]+$/;

/** `nodeTypes` are those of the schema; without one there is nothing to query. */
export function templatesOf(nodeTypes: readonly string[]): readonly EndpointTemplate[] {
  const type = nodeTypes.find((name) => !name.startsWith('_') && PLAIN_NAME.test(name));
  if (type === undefined) return [ANSWER, INPUT, PROGRESS];
  return [ANSWER, queryOf(type), INPUT, PROGRESS];
}

function queryOf(type: string): EndpointTemplate {
  return {
    id: 'query',
    label: `Query nodes of the type ${type}`,
    code: `export default async function ({ q }: Scope) {
  return q().startAt('${type}').asUser().take(10).nodes();
}
`,
  };
}
