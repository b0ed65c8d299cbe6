import type { TaskChange } from '@trellis/contract/shapes/task.ts';
import type { Caller } from '#access/caller.ts';
import { Problem } from '#base/problem.ts';
import { isBuiltIn } from '#runtime/endpoint-definition.ts';
import { notFound } from '#runtime/endpoint-definitions.ts';
import type { TaskService } from '#tasks/task-service.ts';
import { inOrder } from '../definition-files.ts';
import type { Definition, DefinitionKind, Importer, Outlook } from '../definition-kind.ts';
import type { KnownPeople } from './type-access-kind.ts';

/** Throw `invalid_request` for what a request would be refused for. */
export interface TaskParsers {
  name(name: string): string;
  definition(definition: Definition): TaskChange;
}

export interface TaskSources {
  readonly tasks: Pick<TaskService, 'list' | 'create' | 'put' | 'delete'>;
  readonly people: KnownPeople;
}

/** Whom a task acts for stands under their name. */
export class TaskKind implements DefinitionKind {
  readonly kind = 'task';
  readonly layout = { folder: 'tasks' };
  readonly #sources: TaskSources;
  readonly #parsers: TaskParsers;

  constructor(sources: TaskSources, parsers: TaskParsers) {
    this.#sources = sources;
    this.#parsers = parsers;
  }

  names(caller: Caller): string[] {
    return this.#all(caller).map(({ name }) => name);
  }

  read(caller: Caller, name: string): Definition | undefined {
    const task = this.#all(caller).find((one) => one.name === name);
    if (task === undefined) return undefined;
    const { actingUser } = task;
    const userName =
      actingUser === null ? null : this.#sources.people.users(caller).get(actingUser);
    return tidy({ ...task, actingUser: userName ?? null });
  }

  parse(given: Definition, name: string, caller: Caller): Definition {
    this.#parsers.name(name);
    const task = this.#parsers.definition(given);
    this.#actingUser(caller, task);
    return tidy(task);
  }

  /** No task is left without its endpoint. */
  check({ endpoint }: Definition, { isMirror, has }: Outlook): void {
    if (typeof endpoint !== 'string') return;
    const isGoing = isMirror && !has('endpoint', endpoint) && !isBuiltIn(endpoint);
    if (isGoing) throw notFound(endpoint);
  }

  async write(
    { caller, address }: Importer,
    name: string,
    { before, after }: { readonly before: Definition | undefined; readonly after: Definition },
  ): Promise<[]> {
    const given = this.#parsers.definition(after);
    const { cron = '' } = given;
    const task = { ...given, cron, actingUser: this.#actingUser(caller, given) };
    const { tasks } = this.#sources;
    if (before === undefined) await tasks.create(caller, { ...task, name }, address);
    else await tasks.put(caller, name, task, address);
    return [];
  }

  async delete({ caller, address }: Importer, name: string): Promise<void> {
    await this.#sources.tasks.delete(caller, name, address);
  }

  /** UID. Throws `invalid_request` for a user that there is not. */
  #actingUser(caller: Caller, { actingUser: wanted = null }: TaskChange): string | null {
    if (wanted === null) return null;
    for (const [uid, name] of this.#sources.people.users(caller)) if (name === wanted) return uid;
    throw new Problem('invalid_request', `There is no user "${wanted}"`, {
      hint: 'Create the user first: users are not part of definitions.',
    });
  }

  /** But for those that the code of endpoints makes. */
  #all(caller: Caller) {
    const { items } = this.#sources.tasks.list(caller, { skip: 0, take: Infinity });
    return items.filter(({ isInCode }) => !isInCode);
  }
}

function tidy(task: TaskChange): Definition {
  const { cron, timeZone = 'UTC', endpoint = null, builtIn = null, body = null } = task;
  const { actingUser = null, enabled = true, whenMissed = 'run' } = task;
  if (cron === undefined) throw new Problem('invalid_request', 'A task needs a cron expression');
  return {
    cron,
    timeZone,
    endpoint,
    builtIn,
    body: inOrder(body),
    actingUser,
    enabled,
    whenMissed,
  };
}
