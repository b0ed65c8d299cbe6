import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { EXTRACTION_DOCUMENTS_MAX } from '@trellis/contract/limits.ts';
import type { ExtractionDocument, ExtractionRequest } from '@trellis/contract/shapes/extraction.ts';
import { budgetKey, type Caller } from '#access/caller.ts';
import { type Readers, readersOf } from '#access/node-access.ts';
import { type NodeReads, NodeView } from '#access/node-view.ts';
import { readTypeAccess } from '#access/type-rules.ts';
import { EXTRACTION_NAME_CHARACTERS_MAX } from '#base/assistant-limits.ts';
import { NODE_SCAN_IDS } from '#base/limits.ts';
import { Problem } from '#base/problem.ts';
import { turns } from '#base/turns.ts';
import { readStoredFile } from '#files/stored-file.ts';
import { FILE_TYPE, HAS_FILE } from '#graph/file-nodes.ts';
import { isSystemName } from '#graph/names.ts';
import { namesOfField } from '#graph/type-access.ts';
import { nameOfNode } from '#graph/node-label.ts';
import type { GraphReader } from '#graph/reader.ts';

/** One text of a node: a file, or a field. */
export type TextSource = Pick<ExtractionDocument, 'uid' | 'name' | 'file' | 'field'>;

export interface DocumentText {
  readonly text: string;
  /** Where each page begins; empty for a text without pages. */
  readonly pages: readonly number[];
  /** SHA-256. */
  readonly digest: string;
}

/** Names the text among those of its node: the UID of the file, or the field. */
export function sourceKey({ file, field }: Pick<TextSource, 'file' | 'field'>): string {
  return file?.uid ?? field ?? '';
}

/**
 * The texts that somebody chooses, and may read. Rejects with `node_not_found` and
 * `invalid_request`.
 */
export async function chosenSources(
  reads: NodeReads,
  caller: Caller,
  { nodes = [], type, where = {}, files, fields }: ExtractionRequest['documents'],
): Promise<TextSource[]> {
  const { reader } = reads;
  if (nodes.length === 0 && type === undefined) throw invalid('nodes', 'needs nodes, or type');
  if (!files && fields.length === 0) throw invalid('files', 'needs files, or fields');
  const sources: TextSource[] = [];
  const add = (view: NodeView, id: number, path: string): void => {
    if (isSystemName(reader.typeOf(id) ?? '_')) throw invalid(path, 'is of a built-in type');
    sources.push(...sourcesOf(reader, view, id, { files, fields }));
    if (sources.length > EXTRACTION_DOCUMENTS_MAX) {
      throw invalid(path, `has more than ${EXTRACTION_DOCUMENTS_MAX} texts`);
    }
  };
  for (const [i, reference] of nodes.entries()) {
    await turns.goOn(budgetKey(caller));
    const view = NodeView.open(reads, caller);
    const id = reader.id(reference);
    if (id === undefined || !view.canSee(id)) {
      throw new Problem('node_not_found', `documents.nodes.${i}: there is no such node.`);
    }
    add(view, id, `nodes.${i}`);
  }
  if (type === undefined) return unique(sources);
  NodeView.open(reads, caller);
  const named = reader.typeNamed(type);
  const known = reader.schema().nodes.find((one) => one.type === named);
  if (known === undefined || isSystemName(named))
    throw invalid('type', 'is not a node type of yours');
  for (const field of [...fields, ...Object.keys(where)]) {
    if (known.fields[field] === undefined && known.key !== field) {
      throw invalid('fields', `${field} is not a field of ${named}`);
    }
  }
  const walk = reader.walkType(named);
  for (;;) {
    const ids = walk.next(NODE_SCAN_IDS);
    const view = NodeView.open(reads, caller);
    for (const id of ids) {
      const isWanted = Object.entries(where).every(
        ([field, value]) =>
          view.canReadField(id, field) && isDeepStrictEqual(reader.field(id, field), value),
      );
      if (isWanted && view.canSee(id, named)) add(view, id, 'type');
    }
    if (ids.length < NODE_SCAN_IDS) return unique(sources);
    await turns.next(budgetKey(caller));
  }
}

function sourcesOf(
  reader: GraphReader,
  view: NodeView,
  id: number,
  { files, fields }: Pick<ExtractionRequest['documents'], 'files' | 'fields'>,
): TextSource[] {
  const node = nameOfNode(reader, id);
  if (node === undefined) return [];
  const ofFields = fields.flatMap((field): TextSource[] => {
    const value = view.canReadField(id, field) ? reader.field(id, field) : undefined;
    if (typeof value !== 'string' || value.trim() === '') return [];
    if (isWithheld(reader, id, { field })) {
      throw invalid('fields', `${field} is withheld from some people: what it says cannot be`);
    }
    return [{ ...node, file: null, field }];
  });
  if (!files) return ofFields;
  const ofFiles = reader.neighbors(id, 'out', HAS_FILE).map((file): TextSource => {
    const { UID: uid, name } = readStoredFile(reader, file);
    return {
      ...node,
      file: { uid, name: name.slice(0, EXTRACTION_NAME_CHARACTERS_MAX) },
      field: null,
    };
  });
  return [...ofFields, ...ofFiles];
}

/** Whether a text is kept from some who see its node. */
export function isWithheld(
  reader: GraphReader,
  id: number,
  { field }: Pick<TextSource, 'field'>,
): boolean {
  if (field === null) return false;
  const type = reader.typeOf(id);
  const key = reader.schema().nodes.find((one) => one.type === type)?.key;
  const aliases = reader.schemaAliases().filter((one) => 'type' in one && one.type === type);
  const names = namesOfField(field, key, aliases);
  // Rules name types and fields as they were called when the rule was made.
  return Object.entries(readTypeAccess(reader)).some(
    ([name, { fields = {} }]) =>
      reader.typeNamed(name) === type && names.some((one) => Object.hasOwn(fields, one)),
  );
}

/** The text as it is now; or why there is none. */
export function readText(
  reader: GraphReader,
  source: Pick<TextSource, 'uid' | 'file' | 'field'>,
): DocumentText | { readonly reason: string } {
  const id = reader.id({ uid: source.uid });
  if (id === undefined) return { reason: 'It was deleted.' };
  if (source.field !== null) return textOf(reader.field(id, source.field));
  const file = source.file === null ? undefined : reader.id({ uid: source.file.uid });
  if (file === undefined || reader.typeOf(file) !== FILE_TYPE) return { reason: 'It was deleted.' };
  if (!reader.neighbors(file, 'in', HAS_FILE).includes(id)) return { reason: 'It was moved.' };
  const { textState, textError } = readStoredFile(reader, file);
  const text = reader.field(file, 'Text');
  if (textState !== 'extracted' || typeof text !== 'string') {
    return { reason: REASONS[textState ?? 'unsupported'](textError) };
  }
  // Only `FileTexts` writes it.
  const pages = (reader.field(file, 'TextPages') ?? []) as readonly number[];
  return { text, pages, digest: digestOf(text) };
}

/** The text that a field has as its value. */
export function textOf(value: unknown): DocumentText | { readonly reason: string } {
  if (typeof value !== 'string' || value === '') return { reason: 'The field is empty.' };
  return { text: value, pages: [], digest: digestOf(value) };
}

const REASONS = {
  pending: () => 'Its text is not taken out yet: resume in a moment.',
  failed: (error: string | null) => `It has no text: ${error ?? 'it could not be read'}.`,
  unsupported: () => 'Text is not taken out of files of this kind.',
  extracted: () => 'It has no text.',
} as const;

/** Who may read a text of a node that there is. */
export function readersOfText(
  reader: GraphReader,
  id: number,
  source: Pick<TextSource, 'field'>,
): Readers {
  if (isWithheld(reader, id, source)) return { teams: [], users: [] };
  return readersOf(reader, id);
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** A node that is named, and of the type as well, is read once. */
function unique(sources: readonly TextSource[]): TextSource[] {
  return [...new Map(sources.map((one) => [`${one.uid}/${sourceKey(one)}`, one])).values()];
}

function invalid(path: string, message: string): Problem {
  const at = `documents.${path}`;
  return new Problem('invalid_request', `body, ${at}: ${message}`, {
    details: { fields: [{ path: at, message }] },
  });
}
