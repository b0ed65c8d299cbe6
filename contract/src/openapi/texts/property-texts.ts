import type { z } from 'zod';

/**
 * What the OpenAPI document says of properties and parameters. Texts stand apart from the shapes,
 * since the shapes are in the bundle of browsers and the texts need not be (decision 0025).
 */

/** The members of the objects that a shape consists of, through lists, records and unions. */
type MembersOf<S> =
  S extends z.ZodObject<infer Members>
    ? Members
    : S extends
          | z.ZodOptional<infer Inner>
          | z.ZodNullable<infer Inner>
          | z.ZodDefault<infer Inner>
          | z.ZodArray<infer Inner>
      ? MembersOf<Inner>
      : S extends z.ZodRecord<z.core.$ZodRecordKey, infer Value>
        ? MembersOf<Value>
        : S extends z.ZodUnion<infer Options>
          ? MembersOf<Options[number]>
          : S extends z.ZodPipe<infer From, infer To>
            ? MembersOf<From> | MembersOf<To>
            : never;

type Names<Members> = Members extends unknown ? keyof Members : never;
type Member<Members, Name> = Members extends unknown
  ? Name extends keyof Members
    ? Members[Name]
    : never
  : never;

/**
 * A text for each member; or a text and the texts of what is in it. A member that is left out has
 * the text that another shape gives the same member, or one of `anywhere.ts`.
 */
export type TextsOf<S> = {
  readonly [Name in Names<MembersOf<S>>]?:
    | string
    | readonly [string, TextsOf<Member<MembersOf<S>, Name>>];
};

interface AnyTexts {
  readonly [name: string]: string | readonly [string, AnyTexts] | undefined;
}

/** What is said of the members of one object. */
export interface Described {
  readonly object: z.ZodObject;
  readonly name: string;
  readonly text: string;
}

/** Says what the members of a shape are. The compiler knows the names that it has. */
export function texts<S extends z.ZodType>(shape: S, said: TextsOf<S>): readonly Described[] {
  return described(shape, said as AnyTexts);
}

function described(shape: z.core.$ZodType, said: AnyTexts): Described[] {
  const objects = objectsIn(shape);
  return Object.entries(said).flatMap(([name, entry]) => {
    if (entry === undefined) return [];
    const [text, inner] = typeof entry === 'string' ? [entry, {}] : entry;
    const having = objects.filter((object) => name in object.shape);
    return having.flatMap((object) => {
      const member = object.shape[name];
      const nested = member === undefined ? [] : described(member, inner);
      return [{ object, name, text }, ...nested];
    });
  });
}

/** What surrounds a shape and is not there itself in JSON. */
function within(shape: z.core.$ZodType): readonly z.core.$ZodType[] {
  const { def } = shape._zod as z.core.$ZodTypes['_zod'];
  switch (def.type) {
    case 'optional':
    case 'nullable':
    case 'default':
      return [def.innerType];
    case 'pipe':
      return [def.in, def.out];
    default:
      return [];
  }
}

function objectsIn(shape: z.core.$ZodType): z.ZodObject[] {
  const { def } = shape._zod as z.core.$ZodTypes['_zod'];
  switch (def.type) {
    case 'object':
      return [shape as z.ZodObject];
    case 'array':
      return objectsIn(def.element);
    case 'record':
      return objectsIn(def.valueType);
    case 'union':
      return def.options.flatMap(objectsIn);
    case 'tuple':
      return def.items.flatMap(objectsIn);
    default:
      return within(shape).flatMap(objectsIn);
  }
}

/** The shape itself, whether it may be left out, be null, or has a default. */
function bare(shape: z.core.$ZodType): z.core.$ZodType {
  const [inner] = within(shape);
  return inner === undefined ? shape : bare(inner);
}

/** The texts of members by the object that has them. */
export class PropertyTexts {
  readonly #byObject = new Map<z.core.$ZodType, Map<string, string>>();
  /** Undefined where objects say different things of it. */
  readonly #byMember = new Map<z.core.$ZodType, Map<string, string | undefined>>();
  readonly #anywhere: ReadonlyMap<string, string>;

  /** `anywhere`: by the names of the members of an object, with ",", or the name of a member. */
  constructor(all: readonly Described[], anywhere: Readonly<Record<string, string>>) {
    this.#anywhere = new Map(Object.entries(anywhere));
    for (const { object, name, text } of all) {
      const member = object.shape[name];
      textsIn(this.#byObject, object).set(name, text);
      if (member === undefined) continue;
      for (const of of new Set([member, bare(member)])) {
        const ofMember = textsIn(this.#byMember, of);
        const isSame = !ofMember.has(name) || ofMember.get(name) === text;
        ofMember.set(name, isSame ? text : undefined);
      }
    }
  }

  /** Undefined where nothing is said. */
  of(object: z.core.$ZodObject, name: string): string | undefined {
    const { shape } = object._zod.def;
    const member = shape[name];
    const alike = Object.keys(shape).toSorted().join();
    // An extended object has the very members of the object that it extends; a partial one wraps
    // them.
    return (
      this.#byObject.get(object)?.get(name) ??
      (member === undefined
        ? undefined
        : (this.#byMember.get(member)?.get(name) ?? this.#byMember.get(bare(member))?.get(name))) ??
      this.#anywhere.get(`${alike}: ${name}`) ??
      this.#anywhere.get(name)
    );
  }
}

function textsIn<Text>(
  all: Map<z.core.$ZodType, Map<string, Text>>,
  of: z.core.$ZodType,
): Map<string, Text> {
  const found = all.get(of) ?? new Map<string, Text>();
  all.set(of, found);
  return found;
}
