import type { AccessService } from '#access/access-service.ts';
import type { Caller } from '#access/caller.ts';
import type { Principals, TypeAccess, TypeAccessByType } from '#graph/type-access.ts';
import { Problem } from '#base/problem.ts';
import { inOrder } from '../definition-files.ts';
import type { Definition, DefinitionKind, ImportMode, Importer } from '../definition-kind.ts';

/** Names of teams and of users by their UIDs. */
export interface KnownPeople {
  teams(caller: Caller): ReadonlyMap<string, string>;
  users(caller: Caller): ReadonlyMap<string, string>;
}

type Readers = 'teams' | 'users';

/**
 * Teams and users stand under their names, so that the rules hold for the team of this name in
 * another workspace.
 */
export class TypeAccessKind implements DefinitionKind {
  readonly kind = 'type-access';
  readonly layout = { file: 'type-access.json' };
  readonly nothing = { types: {} };
  readonly #access: Pick<AccessService, 'types' | 'putTypes'>;
  readonly #people: KnownPeople;
  readonly #parse: (document: Definition) => { readonly types: TypeAccessByType };

  /** `parse` throws `invalid_request` for what a request would be refused for. */
  constructor(
    access: Pick<AccessService, 'types' | 'putTypes'>,
    people: KnownPeople,
    parse: (document: Definition) => { readonly types: TypeAccessByType },
  ) {
    this.#access = access;
    this.#people = people;
    this.#parse = parse;
  }

  names(caller: Caller): string[] {
    return this.read(caller) === undefined ? [] : [this.kind];
  }

  /** Readers that are not there any more are left out: they read nothing. */
  read(caller: Caller): Definition | undefined {
    const { types } = this.#access.types(caller);
    if (Object.keys(types).length === 0) return undefined;
    const names = { teams: this.#people.teams(caller), users: this.#people.users(caller) };
    return tidy(
      mapped(types, (uids, of) =>
        uids.map((uid) => names[of].get(uid)).filter((name) => name !== undefined),
      ),
    );
  }

  parse(given: Definition, _name: string, caller: Caller): Definition {
    const { types } = this.#parse(given);
    this.#withUids(caller, types);
    return tidy(types);
  }

  merge(before: Definition | undefined, given: Definition, { isMirror }: ImportMode): Definition {
    if (isMirror || before === undefined) return given;
    return tidy({ ...this.#parse(before).types, ...this.#parse(given).types });
  }

  async write(
    { caller, address }: Importer,
    _name: string,
    { after }: { readonly after: Definition },
  ): Promise<[]> {
    const types = this.#withUids(caller, this.#parse(after).types);
    await this.#access.putTypes(caller, { types }, address);
    return [];
  }

  /** Throws `invalid_request` for a name that there is not. */
  #withUids(caller: Caller, types: TypeAccessByType): TypeAccessByType {
    const uids = {
      teams: reversed(this.#people.teams(caller)),
      users: reversed(this.#people.users(caller)),
    };
    return mapped(types, (names, of) =>
      names.map((name) => {
        const uid = uids[of].get(name);
        if (uid !== undefined) return uid;
        const what = of === 'teams' ? 'team' : 'user';
        throw new Problem('invalid_request', `There is no ${what} "${name}"`, {
          hint: `Create the ${what} first: users and teams are not part of definitions.`,
        });
      }),
    );
  }
}

function tidy(types: TypeAccessByType): Definition {
  return inOrder({ types: mapped(types, (names) => [...new Set(names)].toSorted()) }) as Definition;
}

function mapped(
  types: TypeAccessByType,
  map: (principals: readonly string[], of: Readers) => readonly string[],
): TypeAccessByType {
  const mappedOf = ({ teams, users }: Principals): Principals => ({
    ...(teams === undefined || teams.length === 0 ? {} : { teams: map(teams, 'teams') }),
    ...(users === undefined || users.length === 0 ? {} : { users: map(users, 'users') }),
  });
  const typeOf = ({ fields, writableBy, ...rest }: TypeAccess): TypeAccess => {
    const entries = Object.entries(fields ?? {}).map(([name, field]) => [name, mappedOf(field)]);
    return {
      ...rest,
      ...(writableBy === undefined ? {} : { writableBy: mappedOf(writableBy) }),
      ...(fields === undefined ? {} : { fields: Object.fromEntries(entries) }),
    };
  };
  return Object.fromEntries(Object.entries(types).map(([name, type]) => [name, typeOf(type)]));
}

function reversed(names: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  return new Map([...names].map(([uid, name]) => [name, uid]));
}
