import { SCIM_OPERATIONS_MAX } from '@trellis/contract/limits.ts';
import { isDeepStrictEqual } from 'node:util';
import { FilterWork, matchesScimFilter, parseScimFilter, type ScimFilter } from './scim-filter.ts';
import { attribute, attributePath, isJson, type Json, ownName, setAttribute } from './scim-json.ts';
import { scimFault } from './scim-problem.ts';

/** One operation of a PATCH (RFC 7644, section 3.5.2), checked. */
export interface PatchOperation {
  readonly op: 'add' | 'replace' | 'remove';
  /** Undefined for the resource itself. */
  readonly path: PatchPath | undefined;
  readonly value: unknown;
}

/** Example: `emails[type eq "work"].value`. */
export interface PatchPath {
  /** The names up to the filter, or all of them. */
  readonly names: readonly string[];
  readonly filter: ScimFilter | undefined;
  /** The names after the filter. */
  readonly within: readonly string[];
}

/** `op` in any case, and `Operations` too: identity providers write "Replace". */
export function parsePatch(body: Json): readonly PatchOperation[] {
  const operations = attribute(body, 'Operations');
  if (!Array.isArray(operations) || operations.length === 0) {
    throw scimFault('invalidSyntax', 'Operations must be a list with at least one operation.');
  }
  if (operations.length > SCIM_OPERATIONS_MAX) {
    throw scimFault('tooMany', `A request has at most ${SCIM_OPERATIONS_MAX} operations.`);
  }
  return operations.map((operation: unknown, i) => {
    const at = `Operations.${i}`;
    if (!isJson(operation)) throw scimFault('invalidSyntax', `${at}: is no object`);
    const given = attribute(operation, 'op');
    const op = typeof given === 'string' ? given.toLowerCase() : '';
    if (op !== 'add' && op !== 'replace' && op !== 'remove') {
      throw scimFault('invalidSyntax', `${at}.op: must be add, replace or remove`);
    }
    const text = attribute(operation, 'path');
    const isWhole = text === undefined || text === null || text === '';
    if (!isWhole && typeof text !== 'string') throw scimFault('invalidPath', `${at}.path: no text`);
    const value = attribute(operation, 'value');
    if (isWhole && op === 'remove') throw scimFault('noTarget', `${at}: remove needs a path`);
    if (isWhole && !isJson(value)) {
      throw scimFault('invalidValue', `${at}.value: must be an object where there is no path`);
    }
    if (op !== 'remove' && value === undefined) {
      throw scimFault('invalidValue', `${at}.value: is missing`);
    }
    return { op, path: isWhole ? undefined : parsePath(String(text)), value };
  });
}

function parsePath(text: string): PatchPath {
  const open = text.indexOf('[');
  const close = text.lastIndexOf(']');
  const head = open === -1 ? text : text.slice(0, open);
  const tail = open === -1 ? '' : text.slice(close + 1);
  const isReadable =
    /^[a-z$][\w$:.-]*$/i.test(head) &&
    (open === -1 ? close === -1 : close > open) &&
    (tail === '' || /^\.[a-z$][\w$.-]*$/i.test(tail));
  if (!isReadable) throw scimFault('invalidPath', 'A path is not readable.');
  return {
    names: attributePath(head),
    filter: open === -1 ? undefined : parseScimFilter(text.slice(open + 1, close)),
    within: tail === '' ? [] : tail.slice(1).split('.'),
  };
}

/** Attributes that the server gives: in a value they are passed over, as a path refused. */
const READ_ONLY: ReadonlySet<string> = new Set(['id', 'meta', 'schemas', 'groups']);

/** Changes the resource in place. Throws `scim_invalid_request`. */
export function applyPatch(
  resource: Json,
  operations: readonly PatchOperation[],
  work = new FilterWork(),
): void {
  for (const { op, path, value } of operations) {
    if (path !== undefined) {
      if (READ_ONLY.has((path.names[0] ?? '').toLowerCase())) {
        throw scimFault('mutability', `${path.names[0]} is given by the server.`);
      }
      applyAt(resource, op, path, value, work);
    } else if (isJson(value)) {
      // Names in such a value may be paths: "name.familyName".
      for (const [name, inner] of Object.entries(value)) {
        const names = attributePath(name);
        if (READ_ONLY.has((names[0] ?? '').toLowerCase())) continue;
        applyAt(resource, op, { names, filter: undefined, within: [] }, inner, work);
      }
    }
  }
}

function applyAt(
  resource: Json,
  op: PatchOperation['op'],
  path: PatchPath,
  value: unknown,
  work: FilterWork,
): void {
  const holder = holderOf(resource, path.names, op !== 'remove');
  const name = path.names.at(-1) ?? '';
  if (holder === undefined) return;
  if (path.filter === undefined) {
    if (op === 'remove') remove(holder, name, value);
    else put(holder, name, op, value);
    return;
  }
  const all = attribute(holder, name);
  const entries: unknown[] = Array.isArray(all) ? all : [];
  const { filter, within } = path;
  work.add(filter, entries.length);
  const isChosen = (entry: unknown): entry is Json =>
    isJson(entry) && matchesScimFilter(filter, entry);
  if (op === 'remove' && within.length === 0) {
    setAttribute(
      holder,
      name,
      entries.filter((entry) => !isChosen(entry)),
    );
    return;
  }
  const chosen = entries.filter(isChosen);
  if (chosen.length === 0) {
    if (op === 'remove') return;
    const added = entryOf(filter);
    if (entries.length >= ENTRIES_MAX) throw tooManyEntries();
    entries.push(added);
    chosen.push(added);
    setAttribute(holder, name, entries);
  }
  for (const entry of chosen) {
    if (within.length > 0) {
      applyAt(entry, op, { names: within, filter: undefined, within: [] }, value, work);
    } else if (isJson(value)) {
      for (const [key, inner] of Object.entries(value)) setAttribute(entry, key, inner);
    } else {
      setAttribute(entry, 'value', value);
    }
  }
}

/** The object that holds the last name; made on the way when `makes`. */
function holderOf(resource: Json, names: readonly string[], makes: boolean): Json | undefined {
  let holder = resource;
  for (const name of names.slice(0, -1)) {
    let inner = attribute(holder, name);
    // "emails.value" without a filter means the value of the first.
    if (Array.isArray(inner)) inner = inner[0];
    if (!isJson(inner)) {
      if (!makes) return undefined;
      inner = {};
      setAttribute(holder, name, inner);
    }
    holder = inner as Json;
  }
  return holder;
}

/** What a filter says that an entry is, so that a value which is not there yet can be set. */
function entryOf(filter: ScimFilter): Json {
  const entry: Json = {};
  const parts = filter.kind === 'and' ? filter.of : [filter];
  for (const part of parts) {
    const [name, ...more] = part.kind === 'compare' && part.op === 'eq' ? part.path : [];
    if (part.kind !== 'compare' || name === undefined || more.length > 0) {
      throw scimFault('noTarget', 'Nothing matches the filter of a path.');
    }
    setAttribute(entry, name, part.value);
  }
  return entry;
}

/** With a value, only the entries that it names: one provider removes members so. */
function remove(holder: Json, name: string, value: unknown): void {
  const own = attribute(holder, name);
  if (Array.isArray(own) && value !== undefined && value !== null) {
    const named = [value].flat().map(keyOf);
    setAttribute(
      holder,
      name,
      own.filter((entry) => !named.some((one) => isDeepStrictEqual(one, keyOf(entry)))),
    );
  } else {
    delete holder[ownName(holder, name)];
  }
}

/** Entries of one list, such as addresses: operations must not make it ever longer. */
const ENTRIES_MAX = 100;

function tooManyEntries(): Error {
  return scimFault('tooMany', `A list has at most ${ENTRIES_MAX} entries.`);
}

function put(holder: Json, name: string, op: 'add' | 'replace', value: unknown): void {
  const own = attribute(holder, name);
  if (op === 'add' && Array.isArray(own)) {
    const known = new Set(own.map((entry) => JSON.stringify(keyOf(entry))));
    const added = [value].flat().filter((entry) => !known.has(JSON.stringify(keyOf(entry))));
    if (own.length + added.length > ENTRIES_MAX) {
      throw tooManyEntries();
    }
    setAttribute(holder, name, [...own, ...added]);
  } else if (isJson(own) && isJson(value)) {
    for (const [key, inner] of Object.entries(value)) setAttribute(own, key, inner);
  } else {
    if (Array.isArray(value) && value.length > ENTRIES_MAX) {
      throw tooManyEntries();
    }
    setAttribute(holder, name, value);
  }
}

/** What tells the entries of a list apart: their `value`, or they themselves. */
function keyOf(entry: unknown): unknown {
  return isJson(entry) ? (attribute(entry, 'value') ?? entry) : entry;
}
