import type { NodeObject } from '@trellis/contract/shapes/node.ts';
import { FILE_TYPE, HAS_FILE } from '#graph/file-nodes.ts';
import type { GraphReader, Visibility } from '#graph/reader.ts';
import type { IdSet } from './id-set.ts';
import type { TypeRules } from './type-rules.ts';

/** The fields of a user that other signed-in users may read (specification, section 2.6). */
export const PUBLIC_USER_FIELDS = [
  'UID',
  'Type',
  'Timestamp',
  'UserName',
  'FirstName',
  'LastName',
  'FullName',
  'Email',
] as const;

const PUBLIC_OF_USERS: ReadonlySet<string> = new Set(PUBLIC_USER_FIELDS);
/** Fields that tell nothing about a node but that it exists. */
const ALWAYS_READABLE: ReadonlySet<string> = new Set(['UID', 'Type', 'Timestamp']);
const TEAM = '_AccessGroup';
/**
 * System types that plain users may see; every other type with a leading underscore is an
 * administrator's.
 */
const SYSTEM_TYPES_FOR_EVERYONE: ReadonlySet<string> = new Set(['_User', TEAM]);

/** What an administrator sees, the read-only one included. */
export const SEES_EVERYTHING: Visibility = {
  canSee: () => true,
  hiddenOfType: () => 0,
  mayHideOfType: () => false,
  sightOf: () => undefined,
  canSeeEdge: () => true,
  withholdsFields: () => false,
  canReadField: () => true,
  canReadFieldOfType: () => true,
  present: (_id, node) => node,
};

export interface Restrictions {
  isRestricted(id: number): boolean;
  restrictedOfType(type: string): IdSet;
  mayRestrictOfType(type: string): boolean;
  restrictionsOfType(type: string): string;
}

/** What a caller without a user sees: what is restricted to nobody (specification, section 2.2). */
export class NobodyVisibility implements Visibility {
  readonly #reader: GraphReader;
  readonly #restrictions: Restrictions;
  readonly #rules: TypeRules;
  #hiddenFiles: number | undefined;

  constructor(reader: GraphReader, restrictions: Restrictions, rules: TypeRules) {
    this.#reader = reader;
    this.#restrictions = restrictions;
    this.#rules = rules;
  }

  canSee(id: number, type = this.#reader.typeOf(id)): boolean {
    if (type === FILE_TYPE) return !this.hasRestriction(id) && this.seesNodeOfFile(id);
    if (type === undefined || isHiddenType(type)) return false;
    return this.isUnrestricted(id, type);
  }

  mayHideOfType(type: string): boolean {
    if (type === FILE_TYPE) return this.#reader.countOfType(type) > 0;
    return this.hiddenOfType(type) > 0 || this.#restrictions.mayRestrictOfType(type);
  }

  sightOf(types: readonly string[]): string {
    const ofTypes = types
      .filter((type) => this.mayHideOfType(type))
      .map((type) => `${type} ${this.#restrictions.restrictionsOfType(type)}`);
    return [this.sightName(), this.#rules.version, ...ofTypes].join(', ');
  }

  protected sightName(): string {
    return '';
  }

  hiddenOfType(type: string): number {
    if (type === FILE_TYPE) return this.countHiddenFiles();
    if (isHiddenType(type) || this.isOfRestrictedType(type)) return this.#reader.countOfType(type);
    return this.restrictedOfType(type).size;
  }

  /** A file is for whoever sees the node that it hangs on; without one it is for administrators. */
  protected seesNodeOfFile(id: number): boolean {
    return this.#reader.neighbors(id, 'in', HAS_FILE).some((node) => this.canSee(node));
  }

  /** They are looked at one by one, once for each commit at which somebody wants to know. */
  protected countHiddenFiles(): number {
    this.#hiddenFiles ??= this.#reader
      .idsOfType(FILE_TYPE)
      .reduce((count, id) => (this.canSee(id, FILE_TYPE) ? count : count + 1), 0);
    return this.#hiddenFiles;
  }

  protected restrictedOfType(type: string): IdSet {
    return this.#restrictions.restrictedOfType(type);
  }

  /** Whether everybody may see it. */
  protected isUnrestricted(id: number, type: string): boolean {
    return !this.#restrictions.isRestricted(id) && !this.isOfRestrictedType(type);
  }

  protected hasRestriction(id: number): boolean {
    return this.#restrictions.isRestricted(id);
  }

  protected isOfRestrictedType(type: string): boolean {
    return this.#rules.get(type)?.isRestricted === true;
  }

  canSeeEdge(type: string): boolean {
    return !type.startsWith('RestrictAccessTo');
  }

  withholdsFields(type: string): boolean {
    return type === '_User' || (this.#rules.get(type)?.fields.size ?? 0) > 0;
  }

  canReadField(id: number, field: string): boolean {
    if (ALWAYS_READABLE.has(field) || this.isOwnNode(id)) return true;
    const type = this.#reader.typeOf(id);
    return type !== undefined && this.canReadFieldOfType(type, field);
  }

  canReadFieldOfType(type: string, field: string): boolean {
    if (ALWAYS_READABLE.has(field)) return true;
    if (type === '_User' && !PUBLIC_OF_USERS.has(field)) return false;
    const readers = this.#rules.get(type)?.fields.get(field);
    return readers === undefined || this.isAmong(readers);
  }

  present(id: number, node: NodeObject): NodeObject {
    if (!this.withholdsFields(node.Type) || this.isOwnNode(id)) return node;
    const rules = this.#rules.get(node.Type)?.fields;
    const shown: Record<string, unknown> = {};
    for (const field in node) {
      if (node.Type === '_User' && !PUBLIC_OF_USERS.has(field)) continue;
      const readers = rules?.get(field);
      if (readers === undefined || this.isAmong(readers)) shown[field] = node[field];
    }
    return { ...shown, UID: node.UID, Type: node.Type, Timestamp: node.Timestamp };
  }

  protected isOwnNode(_id: number): boolean {
    return false;
  }

  protected isAmong(_readers: ReadonlySet<number>): boolean {
    return false;
  }
}

/** What a signed-in user sees who is no administrator. */
export class UserVisibility extends NobodyVisibility {
  readonly #reader: GraphReader;
  readonly #access: UserAccess;
  /** A guest sees only the teams that they are in. */
  readonly #isGuest: boolean;

  constructor(
    reader: GraphReader,
    restrictions: Restrictions,
    rules: TypeRules,
    access: UserAccess,
    isGuest: boolean,
  ) {
    super(reader, restrictions, rules);
    this.#reader = reader;
    this.#access = access;
    this.#isGuest = isGuest;
  }

  override canSee(id: number, type = this.#reader.typeOf(id)): boolean {
    const { visible, owned, principals } = this.#access;
    if (type === FILE_TYPE) {
      const isGranted = !this.hasRestriction(id) || visible.has(id) || owned.has(id);
      return isGranted && this.seesNodeOfFile(id);
    }
    if (type === undefined || isHiddenType(type)) return false;
    if (this.#isGuest && type === TEAM && !principals.has(id)) return false;
    if (this.hasRestriction(id)) return visible.has(id) || owned.has(id);
    return !this.isOfRestrictedType(type) || owned.has(id) || this.isOwnNode(id);
  }

  override hiddenOfType(type: string): number {
    if (type === FILE_TYPE) return this.countHiddenFiles();
    const { visible, owned, principals } = this.#access;
    if (this.#isGuest && type === TEAM) {
      const teams = this.isOfRestrictedType(type) ? 0 : principals.size - 1;
      return this.#reader.countOfType(type) - teams;
    }
    if (isHiddenType(type)) return this.#reader.countOfType(type);
    const restricted = this.restrictedOfType(type);
    const hidden = restricted.countBeyond(visible, owned);
    return this.isOfRestrictedType(type)
      ? hidden + this.#reader.countOfType(type) - restricted.size - this.#grantedOfType(type)
      : hidden;
  }

  /** How many nodes of a restricted type the user sees because they own them. */
  #grantedOfType(type: string): number {
    if (type === '_User') return 1;
    let count = 0;
    for (const id of this.#access.owned) {
      if (!this.hasRestriction(id) && this.#reader.typeOf(id) === type) count++;
    }
    return count;
  }

  protected override sightName(): string {
    return `${this.#access.user} ${this.#access.version} ${this.#isGuest}`;
  }

  protected override isOwnNode(id: number): boolean {
    return id === this.#access.user;
  }

  protected override isAmong(readers: ReadonlySet<number>): boolean {
    const { principals } = this.#access;
    for (const reader of readers) if (principals.has(reader)) return true;
    return false;
  }
}

function isHiddenType(type: string): boolean {
  return type.startsWith('_') && !SYSTEM_TYPES_FOR_EVERYONE.has(type);
}

/** What one user may see beyond what everybody may. */
export interface UserAccess {
  readonly user: number;
  /** The user, and every team that they are in, through whatever nesting. */
  readonly principals: ReadonlySet<number>;
  /** The restricted nodes that one of the principals may see. */
  readonly visible: IdSet;
  readonly owned: IdSet;
  /** Another one when `principals` or `owned` have changed. */
  readonly version: number;
}
