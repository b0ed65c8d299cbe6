import { ENDPOINTS_TAG, type OpenApiDocument } from './document.ts';
import { isJsonObject, mapObjects, type JsonSchema } from './shape-schemas.ts';
import { securityOfRuns, securityOfTokenRuns } from './security.ts';

/** What is known of a custom endpoint. */
export interface DescribedEndpoint {
  readonly name: string;
  readonly description: string;
  readonly isReadOnly: boolean;
  readonly mode: 'sync' | 'pooling';
  /** JSON Schema of its body, as its code says it; without keywords where it does not. */
  readonly input: JsonSchema;
  /** Whether it is called without a body, too, although its code says what that is. */
  readonly isInputOptional?: boolean;
  /** JSON Schema of what it answers with the status 200; without keywords where nobody knows. */
  readonly output?: JsonSchema;
}

/** How it is called: with an endpoint token, or with a session or another token. */
export type CalledWith = 'session' | 'endpoint-token';

const PREFIXES = {
  session: '/api/endpoints/run/',
  'endpoint-token': '/api/endpoints/token/run/',
} as const;

/** The path of one custom endpoint in the document, and the components that its shape needs. */
export interface EndpointPath {
  readonly path: string;
  readonly item: object;
  readonly schemas: Readonly<Record<string, object>>;
}

/**
 * Made after what the document says of running any endpoint. Names of endpoints need no encoding in
 * a path.
 */
export function endpointPath(
  { paths }: OpenApiDocument,
  endpoint: DescribedEndpoint,
  by: CalledWith,
): EndpointPath {
  const { name, description, isReadOnly, mode } = endpoint;
  const general = paths[`${PREFIXES[by]}{name}`]?.['post'] as GeneralRun;
  const { schema, schemas } = embedded(name, endpoint.input, INPUT_NAMES);
  const answer = embedded(name, endpoint.output ?? {}, OUTPUT_NAMES);
  const { '200': ok, '202': running, '303': redirect, ...responses } = general.responses;
  const post = {
    operationId: `run.${name}`,
    tags: [ENDPOINTS_TAG],
    summary: `Run ${name}.`,
    ...(description === '' ? {} : { description }),
    parameters: general.parameters.filter((parameter) => Object(parameter).in !== 'path'),
    requestBody: {
      required: Object.keys(endpoint.input).length > 0 && endpoint.isInputOptional !== true,
      content: { 'application/json': { schema } },
    },
    responses: {
      '200': { ...ok, content: { 'application/json': { schema: answer.schema } } },
      ...responses,
      ...(mode === 'pooling' ? { '202': running } : {}),
      ...(isReadOnly ? {} : { '303': redirect }),
    },
    security: by === 'session' ? securityOfRuns('endpoints:run') : securityOfTokenRuns(),
    'x-trellis-endpoint': { name, isReadOnly, mode },
  };
  return { path: PREFIXES[by] + name, item: { post }, schemas: { ...schemas, ...answer.schemas } };
}

interface GeneralRun {
  readonly parameters: readonly object[];
  readonly responses: Readonly<Record<string, object>>;
}

const REFERENCES = ['$id', '$anchor', '$dynamicAnchor', '$dynamicRef', '$schema'];

/** What components are called, before the name of the endpoint. */
interface ComponentNames {
  readonly whole: string;
  readonly part: string;
}

const INPUT_NAMES: ComponentNames = { whole: 'input', part: 'part' };
const OUTPUT_NAMES: ComponentNames = { whole: 'output', part: 'outputPart' };

/**
 * The schema as part of a larger document: what it refers to within itself becomes components, and
 * what it would refer to outside of itself, anything.
 */
function embedded(
  name: string,
  { $defs, ...described }: JsonSchema,
  names: ComponentNames,
): { schema: JsonSchema; schemas: Record<string, JsonSchema> } {
  const defined = isJsonObject($defs) ? Object.entries($defs) : [];
  const parts = defined.filter(([part, schema]) => !isAnyJson(schema, `#/$defs/${part}`));
  const whole = `${names.whole}.${componentName(name)}`;
  const partName = (at: number) => `${names.part}${at}.${componentName(name)}`;
  const targets = new Map([
    ['#', whole],
    ...parts.map(([part], at) => [`#/$defs/${part}`, partName(at)] as const),
  ]);
  let refersToItself = false;
  const change = (object: JsonSchema): JsonSchema => {
    const { $ref, ...rest } = object;
    const kept = Object.fromEntries(
      Object.entries(rest).filter(([keyword]) => !REFERENCES.includes(keyword)),
    );
    if ($ref === undefined) return kept;
    const target = targets.get(String($ref));
    if (target === undefined) return kept;
    refersToItself ||= target === whole;
    return { ...kept, $ref: `#/components/schemas/${target}` };
  };
  const schema = mapObjects(described, change) as JsonSchema;
  const schemas = Object.fromEntries(
    parts.map(([, part], at) => [
      partName(at),
      (isJsonObject(part) ? mapObjects(part, change) : {}) as JsonSchema,
    ]),
  );
  if (!refersToItself) return { schema, schemas };
  return {
    schema: { $ref: `#/components/schemas/${whole}` },
    schemas: { ...schemas, [whole]: schema },
  };
}

/**
 * Whether a schema is the one that `z.json()` makes. It says no more than one without keywords, and
 * types that generators make of it refer to themselves, which compilers refuse.
 */
function isAnyJson(schema: unknown, $ref: string): boolean {
  const ofItself = [
    { type: 'array', items: { $ref } },
    { type: 'object', propertyNames: { type: 'string' }, additionalProperties: { $ref } },
  ];
  const simple = ['string', 'number', 'boolean', 'null'].map((type) => ({ type }));
  return JSON.stringify(schema) === JSON.stringify({ anyOf: [...simple, ...ofItself] });
}

/** Never one name for two endpoints: no segment begins with "_", so "._" is always a slash. */
function componentName(name: string): string {
  return name.replaceAll('.', '._').replaceAll('/', '.');
}
