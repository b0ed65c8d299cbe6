import { z } from 'zod';
import { namedShapes } from './named-shapes.ts';
import { propertyTexts } from './texts/all-texts.ts';

/** A JSON Schema, draft 2020-12, as OpenAPI 3.1 takes it. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

export function isJsonObject(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The same tree with each object put through `change`, the inner ones first. */
export function mapObjects(value: unknown, change: (object: JsonSchema) => JsonSchema): unknown {
  if (Array.isArray(value)) return value.map((item) => mapObjects(item, change));
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).map(([name, inner]) => [name, mapObjects(inner, change)]);
  return change(Object.fromEntries(entries) as JsonSchema);
}

/** What is sent to the service, before its defaults; and what it answers. */
export type Direction = 'input' | 'output';

const DEFINITIONS = '#/$defs/';
const COMPONENTS = '#/components/schemas/';
/** Carries what is said of the members of an object until these are JSON Schemas of their own. */
const TEXTS = 'x-texts';

/**
 * JSON Schemas of the contract's shapes, as zod makes them. A shape that has a name is a component
 * and referred to; where it is one thing when it is sent and another when it is answered
 * (defaults), what is sent is called `<name>Input`. Until all are made, a reference says the
 * direction too: see `settle`.
 */
export class ShapeSchemas {
  readonly #registry = z.registry<{ id: string }>();
  readonly #texts = propertyTexts();
  readonly #definitions = {
    input: new Map<string, JsonSchema>(),
    output: new Map<string, JsonSchema>(),
  };

  constructor() {
    for (const [id, shape] of namedShapes()) this.#registry.add(shape, { id });
  }

  of(shape: z.ZodType, direction: Direction): JsonSchema {
    const made = z.toJSONSchema(shape, {
      io: direction,
      metadata: this.#registry,
      unrepresentable: 'any',
      override: ({ zodSchema, jsonSchema }) => {
        // The registry that gives names keeps zod from looking into its own.
        Object.assign(jsonSchema, z.globalRegistry.get(zodSchema));
        if (!(zodSchema instanceof z.core.$ZodObject)) return;
        const names = Object.keys(zodSchema._zod.def.shape);
        jsonSchema[TEXTS] = Object.fromEntries(
          names.map((name) => [name, this.#texts.of(zodSchema, name)]),
        );
      },
    });
    const { $defs = {}, ...schema } = made;
    const definitions = this.#definitions[direction];
    for (const [name, definition] of Object.entries($defs)) {
      if (name.startsWith('__')) throw new Error('a shape that contains itself needs a name');
      if (!definitions.has(name)) definitions.set(name, tidy(definition, direction));
    }
    return tidy(schema, direction);
  }

  /** The whole with references that are final, and the components that they name, by name. */
  settle<T extends JsonSchema>(whole: T): { whole: T; components: Record<string, JsonSchema> } {
    const { input, output } = this.#definitions;
    const differing = this.#differing();
    const nameOf = (marked: string): string => {
      const [direction, name = ''] = marked.split(':');
      return direction === 'input' && differing.has(name) ? `${name}Input` : name;
    };
    const settled = <V>(value: V): V => renameReferences(value, nameOf);
    const all = [
      ...[...output].map(([name, schema]) => [name, settled(schema)] as const),
      ...[...input]
        .filter(([name]) => differing.has(name) || !output.has(name))
        .map(([name, schema]) => [nameOf(`input:${name}`), settled(schema)] as const),
    ];
    const final = settled(whole);
    const wanted = reachable(final, new Map(all));
    return {
      whole: final,
      components: Object.fromEntries(
        all.filter(([name]) => wanted.has(name)).toSorted(([a], [b]) => (a < b ? -1 : 1)),
      ),
    };
  }

  /** The names that stand for two things, also because something inside does. */
  #differing(): ReadonlySet<string> {
    const { input, output } = this.#definitions;
    const both = [...input.keys()].filter((name) => output.has(name));
    const differing = new Set<string>();
    const text = (schema: JsonSchema | undefined): string =>
      JSON.stringify(
        renameReferences(schema, (marked) => {
          const name = marked.split(':')[1] ?? '';
          return differing.has(name) ? marked : name;
        }),
      );
    for (let before = -1; before < differing.size;) {
      before = differing.size;
      for (const name of both) {
        if (text(input.get(name)) !== text(output.get(name))) differing.add(name);
      }
    }
    return differing;
  }
}

/** The names of the components that are referred to, by whatever is referred to. */
function reachable(
  whole: unknown,
  components: ReadonlyMap<string, JsonSchema>,
): ReadonlySet<string> {
  const found = new Set<string>();
  const follow = (value: unknown): void => {
    mapObjects(value, (object) => {
      const { $ref } = object;
      const name = typeof $ref === 'string' ? $ref.slice(COMPONENTS.length) : '';
      if (components.has(name) && !found.has(name)) {
        found.add(name);
        follow(components.get(name));
      }
      return object;
    });
  };
  follow(whole);
  return found;
}

function renameReferences<T>(value: T, nameOf: (marked: string) => string): T {
  return mapObjects(value, (object) => {
    const { $ref } = object;
    if (typeof $ref !== 'string' || !$ref.startsWith(COMPONENTS) || !$ref.includes(':')) {
      return object;
    }
    return { ...object, $ref: COMPONENTS + nameOf($ref.slice(COMPONENTS.length)) };
  }) as T;
}

/** Leaves out what says nothing to a reader, or what another keyword says as well. */
function tidy(schema: unknown, direction: Direction): JsonSchema {
  return mapObjects(schema, (object) => {
    const { $schema: _dialect, [TEXTS]: texts, ...rest } = object;
    const kept: Record<string, unknown> = { ...rest };
    if (isJsonObject(kept['properties']) && isJsonObject(texts)) {
      kept['properties'] = withTexts(kept['properties'], texts);
    }
    // It is in the format, at length.
    if (kept['format'] === 'date-time') delete kept['pattern'];
    if (kept['maximum'] === Number.MAX_SAFE_INTEGER) delete kept['maximum'];
    if (kept['minimum'] === Number.MIN_SAFE_INTEGER) delete kept['minimum'];
    const { propertyNames, $ref } = kept;
    const isAnyName = isJsonObject(propertyNames) && Object.keys(propertyNames).length === 1;
    if (isAnyName && propertyNames['type'] === 'string') delete kept['propertyNames'];
    if (typeof $ref === 'string' && $ref.startsWith(DEFINITIONS)) {
      kept['$ref'] = `${COMPONENTS}${direction}:${$ref.slice(DEFINITIONS.length)}`;
    }
    return kept;
  }) as JsonSchema;
}

/** Each property with its text. */
function withTexts(properties: JsonSchema, texts: JsonSchema): JsonSchema {
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => {
      const text = texts[name];
      if (!isJsonObject(schema) || text === undefined) return [name, schema];
      return [name, { description: text, ...schema }];
    }),
  );
}
