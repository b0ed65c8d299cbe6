import type { NodeObject } from '@trellis/contract/shapes/node.ts';
import { draftMeaning, draftText } from './field-draft.ts';

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
    if (error === undefined) fields[field] = value;
    else errors[field] = error;
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
