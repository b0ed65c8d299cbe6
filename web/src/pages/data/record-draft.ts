import type {
  NodeChangeDocument,
  NodeRecordDocument,
} from '@trellis/contract/shapes/node-write.ts';
import type { NodeObject } from '@trellis/contract/shapes/node.ts';
import type { DataType } from './data-queries.ts';
import { draftMeaning, draftText } from './field-draft.ts';

/** What a node has besides its fields; no field is called so. */
const TIMESTAMP = 'Timestamp';
const ALIASES = 'Other names';
/** How a key is called that the schema gives no name; no field is called so. */
const UNNAMED_KEY = 'Id';
const BESIDES = { [TIMESTAMP]: 'Time', [ALIASES]: 'String[]' } as const;

/** A node as it was when it was read. */
export interface NodeState {
  readonly node: NodeObject;
  readonly version: number;
}

/** What was typed into a record and is not saved. */
export interface RecordDraft {
  /** What each changed field holds, as text. */
  readonly texts: Readonly<Record<string, string>>;
  /** The node as it was when the first field was changed; none of a new node. */
  readonly base?: NodeState | undefined;
  /** The node as somebody else has left it meanwhile, and the fields that both changed. */
  readonly conflict?: (NodeState & { readonly fields: readonly string[] }) | undefined;
}

/** The types of what can be edited: all but the key, which stays as it is. */
export function editedTypes({ key, fields }: DataType): FieldTypes {
  const others = Object.entries(fields).filter(([field]) => field !== key);
  return { ...Object.fromEntries(others), ...BESIDES };
}

/** The same of a node that is not there yet, which gets its key here or none. */
export function newTypes({ key = UNNAMED_KEY, fields }: DataType): FieldTypes {
  return { [key]: 'String', ...fields, ...BESIDES };
}

/** What the type of a field does not say. */
export function hintOf(field: string): string | undefined {
  return field === ALIASES ? 'Names that other systems give it, one in each line' : undefined;
}

/** The same of a node that is not there yet. */
export function newHintOf(field: string, { key = UNNAMED_KEY }: DataType): string | undefined {
  return field === key
    ? 'Optional, and never changed: imports and links name it so'
    : hintOf(field);
}

/** A node that may be written, as it is edited; undefined for every other. */
export function stateOf({ node, version, aliases }: NodeRecordDocument): NodeState | undefined {
  if (version === null || aliases === undefined) return undefined;
  return { node: { ...node, [ALIASES]: aliases }, version };
}

/** What the server is to be sent of a node that is not there yet. */
export function newBodyOf(values: Readonly<Record<string, unknown>>) {
  const { [UNNAMED_KEY]: key, ...others } = values;
  return { ...(typeof key === 'string' && { key }), ...bodyOf(others) };
}

/** What the server is to be sent, of the values that `changeOf` gives. */
export function bodyOf(values: Readonly<Record<string, unknown>>): NodeChangeDocument {
  const { [TIMESTAMP]: timestamp, [ALIASES]: aliases, ...fields } = values;
  return {
    ...(Object.keys(fields).length > 0 && { fields }),
    ...(typeof timestamp === 'string' && { timestamp }),
    ...(aliases !== undefined && { aliases: Array.isArray(aliases) ? aliases : [] }),
  };
}

const REFUSED = /^(fields\.(?<field>.+)|(?<timestamp>timestamp)|(?<aliases>aliases)\b.*)$/;

/** What a path of `bodyOf` is called where it is edited. */
export function editedAt(path: string): string | undefined {
  const { field, timestamp, aliases } = REFUSED.exec(path)?.groups ?? {};
  if (timestamp !== undefined) return TIMESTAMP;
  return aliases === undefined ? field : ALIASES;
}

export const NO_DRAFT: RecordDraft = { texts: {} };

type FieldTypes = Readonly<Record<string, string>>;

/** The draft with another text in one field; a text as it was is no change. */
export function withText(
  draft: RecordDraft,
  field: string,
  text: string,
  state: NodeState | undefined,
  types: FieldTypes,
): RecordDraft {
  const base = draft.base ?? state;
  const { [field]: _, ...others } = draft.texts;
  const isAsBefore = text === draftText(base?.node[field], types[field] ?? 'String');
  const texts = isAsBefore ? others : { ...others, [field]: text };
  return { ...draft, texts, ...(base !== undefined && { base }) };
}

/** The values to send, or what is wrong by field. */
export function changeOf({ texts }: RecordDraft, types: FieldTypes) {
  const fields: Record<string, unknown> = {};
  const errors: Record<string, string> = {};
  for (const [field, text] of Object.entries(texts)) {
    const { value, error } = draftMeaning(text, types[field] ?? 'String');
    if (error !== undefined) errors[field] = error;
    else if (field === TIMESTAMP && value === null) errors[field] = 'A node always has a time';
    else fields[field] = value;
  }
  return { fields, errors };
}

/** The draft over the node as it is now; where both changed a field, one of them is to be chosen. */
export function rebased(draft: RecordDraft, now: NodeState, types: FieldTypes): RecordDraft {
  const text = (node: NodeObject | undefined, field: string) =>
    draftText(node?.[field], types[field] ?? 'String');
  const texts = Object.fromEntries(
    Object.entries(draft.texts).filter(([field, mine]) => mine !== text(now.node, field)),
  );
  const fields = Object.keys(texts).filter(
    (field) => text(draft.base?.node, field) !== text(now.node, field),
  );
  if (fields.length === 0) return { texts, base: now };
  return { texts, base: draft.base, conflict: { ...now, fields } };
}

/** The draft after one of the two values of a field was chosen. */
export function withChoice(draft: RecordDraft, field: string, isMine: boolean): RecordDraft {
  const { conflict } = draft;
  if (conflict === undefined) return draft;
  const { [field]: _, ...others } = draft.texts;
  const texts = isMine ? draft.texts : others;
  const fields = conflict.fields.filter((one) => one !== field);
  if (fields.length > 0) return { ...draft, texts, conflict: { ...conflict, fields } };
  return { texts, base: { node: conflict.node, version: conflict.version } };
}
