import type { QueryContext } from '#graph/query/query-context.ts';
import { isTellableField } from '#graph/tellable-names.ts';
import type { PlannedText, PlannedType, PlannedVector } from '../settings/index-plan.ts';
import { goesBy } from '../settings/named-now.ts';
import { VisibleFields } from '../text/visible-fields.ts';
import { type SearchRequest, unknownName } from '../request/read-request.ts';
import type { OpenedSnapshot, OpenedVectors } from './opened-snapshot.ts';

/** A field of one type that is searched by vectors. It may have none yet. */
export interface FieldOfVectors {
  readonly type: PlannedType;
  readonly field: PlannedVector;
}

/** The types and fields, of those asked for, in which a search may find something. */
export class SearchScope {
  /** By their numbers in the schema. */
  readonly types: ReadonlyMap<number, PlannedType>;
  /** The texts that count, by type. */
  readonly texts: ReadonlyMap<number, readonly PlannedText[]>;
  readonly visibleFields: VisibleFields;
  readonly #snapshot: OpenedSnapshot;
  readonly #context: QueryContext;
  readonly #names: readonly string[] | undefined;

  /** `mode`: what the requested fields must have; words by default. */
  constructor(
    snapshot: OpenedSnapshot,
    context: QueryContext,
    { types: names, fields, mode = 'text' }: ScopeRequest,
  ) {
    this.#snapshot = snapshot;
    this.#context = context;
    this.#names = names;
    const types = typesOf(snapshot, context, names);
    this.types = new Map(types.map((type) => [type.id, type]));
    if (fields !== undefined && !this.conceals) checkFields(context, fields, types, mode);
    this.texts = new Map(
      types.map((type) => [
        type.id,
        type.texts
          .toSorted((a, b) => b.boost - a.boost)
          .filter(({ name }) => goesBy(type, name, fields) && this.canRead(type.name, name)),
      ]),
    );
    const numbers = new Map(
      types.map((type) => {
        const named = type.names.filter(
          ({ name, isKey }) =>
            goesBy(type, name, fields) && this.#canReadName(type.name, name, isKey),
        );
        const readable = [...(this.texts.get(type.id) ?? []), ...named];
        return [type.id, new Set(readable.map(({ field }) => field))];
      }),
    );
    this.visibleFields = new VisibleFields((type, field) => numbers.get(type)?.has(field) === true);
  }

  /** Whether the searcher sees no node of a requested type: then any field name is accepted. */
  get conceals(): boolean {
    return this.#names?.some((name) => this.#context.conceals(name)) === true;
  }

  /** Whether vectors of these fields are hidden because the searcher sees no node of their type. */
  concealsVectors(names: readonly string[] | undefined): boolean {
    const concealed = [...this.types.values()].filter(({ name }) => this.#context.conceals(name));
    const isAsked = concealed.some((type) =>
      type.vectors.some(({ name }) => goesBy(type, name, names)),
    );
    return this.conceals || isAsked;
  }

  /** Former names, too. */
  get fieldNames(): ReadonlySet<string> {
    const names = [...this.types.values()].flatMap(({ id, former = new Map() }) => {
      const present = new Set(this.texts.get(id)?.map(({ name }) => name));
      return [...present, ...[...former.keys()].filter((one) => present.has(former.get(one)))];
    });
    return new Set(names);
  }

  /** The index's numbers of the fields of one name. */
  fieldsOf(name: string): number[] {
    return [...this.types.values()]
      .flatMap((type) =>
        (this.texts.get(type.id) ?? []).filter((text) => goesBy(type, text.name, [name])),
      )
      .map(({ field }) => field);
  }

  /** Fields with vectors that the searcher may read; `names`: only these. */
  vectors(names: readonly string[] | undefined): readonly FieldOfVectors[] {
    return [...this.types.values()]
      .filter(({ name }) => !this.#context.conceals(name))
      .flatMap((type) =>
        type.vectors
          .filter(({ name }) => goesBy(type, name, names) && this.canRead(type.name, name))
          .map((field) => ({ type, field })),
      );
  }

  /** The vectors of these fields that exist. */
  opened(fields: readonly FieldOfVectors[]): readonly OpenedVectors[] {
    return this.#snapshot.vectors.filter(({ type, field }) =>
      fields.some((one) => one.type.id === type.id && one.field.name === field.name),
    );
  }

  /** Nodes show their key twice. */
  #canReadName(type: string, name: string, isKey: boolean): boolean {
    return this.canRead(type, name) && (!isKey || this.canRead(type, 'Id'));
  }

  canRead(type: string, field: string): boolean {
    return this.#context.visibility?.canReadFieldOfType(type, field) !== false;
  }
}

type ScopeRequest = Pick<SearchRequest, 'types' | 'fields'> & Partial<Pick<SearchRequest, 'mode'>>;

function typesOf(
  snapshot: OpenedSnapshot,
  context: QueryContext,
  names: readonly string[] | undefined,
): readonly PlannedType[] {
  if (names === undefined) return snapshot.types;
  return names.flatMap((name, i) => {
    if (context.conceals(name)) return [];
    // By its number: the name may be a former one, or the snapshot older than a rename.
    const id = context.registry.nodeType(name)?.id;
    const type = snapshot.types.find((one) => one.id === id);
    if (type !== undefined) return [type];
    // A type that cannot be searched has no hits; an unknown one is a mistake.
    context.nodeType(name, `request.types[${i}]`);
    return [];
  });
}

function checkFields(
  { reader, visibility }: QueryContext,
  wanted: readonly string[],
  types: readonly PlannedType[],
  mode: SearchRequest['mode'],
): void {
  const known = new Set(
    types.flatMap(({ texts, vectors }) => [
      ...texts.map(({ name }) => name),
      ...(mode === 'text' ? [] : vectors).map(({ name }) => name),
    ]),
  );
  for (const [i, name] of wanted.entries()) {
    const isFormer = types.some(({ former }) => known.has(former?.get(name) ?? ''));
    if (known.has(name) || isFormer) continue;
    const tellable = [...known].filter((field) =>
      types.some((type) => isTellableField(reader, visibility, type.name, field)),
    );
    throw unknownName(`request.fields[${i}]`, name, tellable);
  }
}
