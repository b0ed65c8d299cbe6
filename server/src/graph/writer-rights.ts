import { must } from '#base/assert.ts';
import { keyedUid, tryParseUid } from '#base/uid.ts';
import { readId } from '#store/bytes.ts';
import { DB } from '#store/databases.ts';
import { TEAM, USER } from './access-checks.ts';
import { NeighborList } from './adjacency.ts';
import { isSystemName } from './names.ts';
import type { NodeRecord } from './node-record.ts';
import type { AuthorRights } from './transactor.ts';
import {
  namesOfField,
  type Principals,
  SETTING_TYPE,
  SETTING_VALUE,
  TYPE_ACCESS_SETTING,
  typeAccessOf,
  type TypeAccessByType,
} from './type-access.ts';
import type { WriterMemory } from './writer-memory.ts';

/** What the access of a type says of one user. */
interface TypeRights {
  readonly isRestricted: boolean;
  readonly mayWrite: boolean;
  /** Fields that the user may not read. */
  readonly withheld: ReadonlySet<string>;
}

/**
 * What one user may write (docs/data.md), as of the commit that is being built: so a right that an
 * earlier commit has taken away is gone, however late readers learn of it. An administrator with
 * write access may write every type that is not built in. Anybody else may write the types whose
 * access names them, or a team that they are in: only nodes that they see, and fields that they may
 * read. What they see is what `access/visibility.ts` shows them; a test compares the two.
 */
export class WriterRights implements AuthorRights {
  readonly #state: WriterMemory;
  readonly #user: number;
  readonly #mayWrite: boolean;
  readonly #isAdmin: boolean;
  readonly #isGuest: boolean;
  #principalsRead: ReadonlySet<number> | undefined;
  #types: TypeAccessByType | undefined;
  readonly #ofTypes = new Map<string, TypeRights>();

  /** `user` is the UID; whoever has none, or is not active, may write nothing. */
  constructor(state: WriterMemory, user: Uint8Array | undefined) {
    this.#state = state;
    this.#user = user === undefined ? 0 : this.#idOf(user);
    const flag = (name: string): boolean =>
      this.#user !== 0 && this.#value(this.#user, name) === true;
    const isReader = flag('IsReadOnlyAdmin');
    this.#isAdmin = flag('IsAdmin') && !isReader;
    this.#mayWrite = flag('Active') && !isReader;
    this.#isGuest = flag('IsGuest');
  }

  /** 0 when there is no such user. */
  get user(): number {
    return this.#user;
  }

  mayWrite(type: string): boolean {
    return this.#mayWrite && !isSystemName(type) && (this.#isAdmin || this.#of(type).mayWrite);
  }

  sees(id: number): boolean {
    if (this.#isAdmin) return true;
    const type = this.#typeOf(id);
    if (isSystemName(type) && type !== USER && type !== TEAM) return false;
    if (this.#isGuest && type === TEAM && !this.#principals.has(id)) return false;
    const named = [
      ...this.#neighbors(id, 'out', 'RestrictAccessToTeam'),
      ...this.#neighbors(id, 'out', 'RestrictAccessToUser'),
    ];
    const isShared =
      named.length === 0
        ? !this.#of(type).isRestricted || id === this.#user
        : named.some((one) => this.#principals.has(one));
    return isShared || this.#neighbors(id, 'in', '_Owns').includes(this.#user);
  }

  mayReadField(type: string, field: string): boolean {
    return this.#isAdmin || !this.#of(type).withheld.has(field);
  }

  mustOwn(type: string): boolean {
    return !this.#isAdmin && this.#of(type).isRestricted;
  }

  /** The user, and every team that they are in, through whatever nesting. */
  get #principals(): ReadonlySet<number> {
    if (this.#principalsRead !== undefined) return this.#principalsRead;
    const found = new Set([this.#user]);
    for (const one of found) {
      for (const team of this.#neighbors(one, 'out', '_MemberOf')) found.add(team);
    }
    this.#principalsRead = found;
    return found;
  }

  #isAmong(some: Principals | undefined): boolean {
    if (some === undefined) return false;
    return [...(some.users ?? []), ...(some.teams ?? [])].some((text) => {
      const uid = tryParseUid(text);
      const id = uid === undefined ? 0 : this.#idOf(uid);
      return id !== 0 && this.#principals.has(id);
    });
  }

  /**
   * Read once: a later question about the type reads nothing of the state, which would make an open
   * record invalid.
   */
  #of(name: string): TypeRights {
    const known = this.#ofTypes.get(name);
    if (known !== undefined) return known;
    this.#types ??= readTypes(this.#state);
    const access = Object.hasOwn(this.#types, name) ? this.#types[name] : undefined;
    const { registry } = this.#state.schema;
    const key = registry.nodeType(name)?.key;
    const aliases = registry.aliases().filter((one) => 'type' in one && one.type === name);
    const withheld = Object.entries(access?.fields ?? {}).filter(
      ([, readers]) => !this.#isAmong(readers),
    );
    const rights = {
      isRestricted: access?.visibleTo === 'restricted',
      mayWrite: this.#isAmong(access?.writableBy),
      withheld: new Set(withheld.flatMap(([field]) => namesOfField(field, key, aliases))),
    };
    this.#ofTypes.set(name, rights);
    return rights;
  }

  #idOf(uid: Uint8Array): number {
    const value = this.#state.view.get(DB.uids, uid);
    return value === undefined ? 0 : readId(value, 0);
  }

  #record(id: number): NodeRecord {
    const { view, keys, node } = this.#state;
    node.open(must(view.get(DB.nodes, keys.node(id)), `the record of node ${id}`));
    return node;
  }

  #value(id: number, name: string): unknown {
    const record = this.#record(id);
    return record.valueByName(this.#state.schema.registry.nodeTypeById(record.typeId), name);
  }

  #typeOf(id: number): string {
    return this.#state.schema.registry.nodeTypeById(this.#record(id).typeId).name;
  }

  #neighbors(id: number, direction: 'out' | 'in', edge: string): number[] {
    const type = this.#state.schema.registry.edgeType(edge);
    const found = new NeighborList();
    if (type !== undefined) this.#state.adjacency.collect(id, direction, type.id, found);
    return found.toArray();
  }
}

function readTypes(state: WriterMemory): TypeAccessByType {
  const { view, keys, node } = state;
  const stored = view.get(DB.uids, keyedUid(SETTING_TYPE, TYPE_ACCESS_SETTING));
  if (stored === undefined) return {};
  const id = readId(stored, 0);
  node.open(must(view.get(DB.nodes, keys.node(id)), `the record of node ${id}`));
  return state.typeAccess.read(node, (record) => {
    const type = state.schema.registry.nodeTypeById(record.typeId);
    return typeAccessOf(record.valueByName(type, SETTING_VALUE));
  });
}

/** Whether nodes of a type without a restriction are for their owners only. Reads the state. */
export function isRestrictedType(state: WriterMemory, name: string): boolean {
  const types = readTypes(state);
  return Object.hasOwn(types, name) && types[name]?.visibleTo === 'restricted';
}
