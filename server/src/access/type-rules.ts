import type { GraphReader } from '#graph/reader.ts';
import { readSetting, settingVersion } from './settings.ts';

export const TYPE_ACCESS_SETTING = 'access.types';

/** Who may read a field beside administrators; UIDs. Nobody else when both are empty. */
export interface FieldAccess {
  readonly teams?: readonly string[] | undefined;
  readonly users?: readonly string[] | undefined;
}

/** The access of one type (open-shapes, section 4, "field and type access"). */
export interface TypeAccess {
  /**
   * Who sees nodes without a restriction of their own; `restricted`: owners and administrators
   * only.
   */
  readonly visibleTo?: 'everyone' | 'restricted' | undefined;
  readonly fields?: Readonly<Record<string, FieldAccess>> | undefined;
}

export type TypeAccessByType = Readonly<Record<string, TypeAccess>>;

/** A rule with what it names as ids. */
export interface TypeRule {
  readonly isRestricted: boolean;
  /** By field: teams and users who may read it. */
  readonly fields: ReadonlyMap<string, ReadonlySet<number>>;
}

/** The access as it is stored. Only `AccessService` writes it, after a check. */
export function readTypeAccess(reader: GraphReader): TypeAccessByType {
  const stored = readSetting(reader, TYPE_ACCESS_SETTING) as
    | { readonly types?: TypeAccessByType }
    | undefined;
  return stored?.types ?? {};
}

/**
 * The rules of types as of the commit that the reader stands at; compiled again when the setting
 * has changed.
 */
export class TypeRules {
  readonly #reader: GraphReader;
  #version = -1;
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
    const version = settingVersion(this.#reader, TYPE_ACCESS_SETTING);
    if (version === this.#version) return;
    this.#version = version;
    this.#rules = this.#compile(readTypeAccess(this.#reader));
  }

  #compile(types: TypeAccessByType): ReadonlyMap<string, TypeRule> {
    const keys = new Map(this.#reader.schema().nodes.map((node) => [node.type, node.key]));
    const rules = new Map<string, TypeRule>();
    for (const [type, { visibleTo, fields = {} }] of Object.entries(types)) {
      const byField = new Map<string, ReadonlySet<number>>();
      for (const [field, access] of Object.entries(fields)) {
        const readers = this.#idsOf([...(access.teams ?? []), ...(access.users ?? [])]);
        // The key is shown under its own name and as the Id: who may read it must be let by the
        // rules of both.
        for (const name of namesOf(field, keys.get(type))) {
          const others = byField.get(name);
          byField.set(name, others === undefined ? readers : readers.intersection(others));
        }
      }
      rules.set(type, { isRestricted: visibleTo === 'restricted', fields: byField });
    }
    return rules;
  }

  #idsOf(uids: readonly string[]): ReadonlySet<number> {
    return new Set(uids.map((uid) => this.#reader.id({ uid })).filter((id) => id !== undefined));
  }
}

function namesOf(field: string, key: string | undefined): readonly string[] {
  return key !== undefined && (field === key || field === 'Id') ? [key, 'Id'] : [field];
}
