import type { SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import type { GraphReader } from '#graph/reader.ts';
import {
  namesOfField,
  type Principals,
  TYPE_ACCESS_SETTING,
  type TypeAccessByType,
  typeAccessOf,
} from '#graph/type-access.ts';
import { readSetting, settingVersion } from './settings.ts';

/** A rule with what it names as ids. */
export interface TypeRule {
  readonly isRestricted: boolean;
  /** Teams and users who may write nodes of the type. */
  readonly writers: ReadonlySet<number>;
  /** By field: teams and users who may read it. */
  readonly fields: ReadonlyMap<string, ReadonlySet<number>>;
}

/** The access as it is stored. Only `AccessService` writes it, after a check. */
export function readTypeAccess(reader: GraphReader): TypeAccessByType {
  return typeAccessOf(readSetting(reader, TYPE_ACCESS_SETTING));
}

/**
 * The rules of types as of the commit that the reader stands at; compiled again when the setting
 * has changed.
 */
export class TypeRules {
  readonly #reader: GraphReader;
  #version = 0;
  #compiledOf: { readonly setting: number; readonly schema: SchemaDocument } | undefined;
  #rules: ReadonlyMap<string, TypeRule> = new Map();

  constructor(reader: GraphReader) {
    this.#reader = reader;
  }

  /** A different number when the rules have changed. */
  get version(): number {
    return this.#version;
  }

  get(type: string): TypeRule | undefined {
    return this.#rules.get(type);
  }

  follow(): void {
    const setting = settingVersion(this.#reader, TYPE_ACCESS_SETTING);
    const schema = this.#reader.schema();
    if (this.#compiledOf?.setting === setting && this.#compiledOf.schema === schema) return;
    this.#compiledOf = { setting, schema };
    this.#version++;
    this.#rules = this.#compile(readTypeAccess(this.#reader));
  }

  #compile(types: TypeAccessByType): ReadonlyMap<string, TypeRule> {
    const keys = new Map(this.#reader.schema().nodes.map((node) => [node.type, node.key]));
    const aliases = Map.groupBy(this.#reader.schemaAliases(), (one) =>
      'type' in one ? one.type : '',
    );
    const rules = new Map<string, TypeRule>();
    for (const [type, { visibleTo, writableBy = {}, fields = {} }] of Object.entries(types)) {
      const byField = new Map<string, ReadonlySet<number>>();
      for (const [field, access] of Object.entries(fields)) {
        const readers = this.#idsOf(access);
        // The key is shown under its own name and as the Id: who may read it must be let by the
        // rules of both.
        for (const name of namesOfField(field, keys.get(type), aliases.get(type) ?? [])) {
          const others = byField.get(name);
          byField.set(name, others === undefined ? readers : readers.intersection(others));
        }
      }
      const rule = {
        isRestricted: visibleTo === 'restricted',
        writers: this.#idsOf(writableBy),
        fields: byField,
      };
      // A read may name the type by a former name.
      const former = (aliases.get(type) ?? []).filter(({ field }) => field === undefined);
      for (const name of [type, ...former.map(({ alias }) => alias)]) rules.set(name, rule);
    }
    return rules;
  }

  #idsOf({ teams = [], users = [] }: Principals): ReadonlySet<number> {
    const ids = [...teams, ...users].map((uid) => this.#reader.id({ uid }));
    return new Set(ids.filter((id) => id !== undefined));
  }
}
