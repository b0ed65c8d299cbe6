import { DEFINITION_DEPTH_MAX } from '#base/definition-limits.ts';
import { Problem } from '#base/problem.ts';
import type {
  Definition,
  DefinitionFile,
  DefinitionKind,
  DefinitionKindName,
  PackedDefinition,
} from './definition-kind.ts';

const JSON_ENDING = '.json';

/** One definition as its files. */
export function filesOf(
  kind: DefinitionKind,
  name: string,
  definition: Definition,
): DefinitionFile[] {
  const { layout } = kind;
  if ('file' in layout) return [{ path: layout.file, text: jsonText(definition) }];
  const path = `${layout.folder}/${name}`;
  const { text } = layout;
  if (text === undefined) return [{ path: path + JSON_ENDING, text: jsonText(definition) }];
  const { [text.member]: content, ...rest } = definition;
  return [
    ...(text.isAlone === true ? [] : [{ path: path + JSON_ENDING, text: jsonText(rest) }]),
    { path: path + text.ending, text: `${String(content)}${text.endsLine ? '\n' : ''}` },
  ];
}

/**
 * What belongs to the definitions of the kinds, by kind and name, and the paths of what is no
 * definition's.
 */
export function sortFiles(
  kinds: readonly DefinitionKind[],
  files: Iterable<DefinitionFile>,
): {
  readonly packed: ReadonlyMap<DefinitionKindName, ReadonlyMap<string, PackedDefinition>>;
  readonly others: readonly string[];
} {
  const packed = new Map<DefinitionKindName, Map<string, PackedDefinition>>();
  const others: string[] = [];
  for (const file of files) {
    const place = placeOf(kinds, file.path);
    if (place === undefined) {
      others.push(file.path);
      continue;
    }
    const { kind, name, part } = place;
    const ofKind = packed.get(kind) ?? new Map<string, PackedDefinition>();
    packed.set(kind, ofKind);
    const known = ofKind.get(name) ?? { name, json: undefined, text: undefined };
    ofKind.set(name, { ...known, [part]: file });
  }
  return { packed, others: others.toSorted() };
}

/** The definition that is in the files. Throws `invalid_request`. */
export function definitionIn({ layout }: DefinitionKind, packed: PackedDefinition): Definition {
  const { json, text } = packed;
  const settings = json === undefined ? {} : parsed(json);
  if ('file' in layout || layout.text === undefined) return settings;
  const { member, ending } = layout.text;
  if (text === undefined) {
    throw invalid(
      `${String(json?.path)} has no file ${JSON.stringify(packed.name + ending)} beside it`,
    );
  }
  return { ...settings, [member]: text.text };
}

function placeOf(kinds: readonly DefinitionKind[], path: string) {
  for (const { kind, layout } of kinds) {
    if ('file' in layout) {
      if (path === layout.file) return { kind, name: kind, part: 'json' } as const;
      continue;
    }
    if (!path.startsWith(`${layout.folder}/`)) continue;
    const rest = path.slice(layout.folder.length + 1);
    const part = rest.endsWith(JSON_ENDING)
      ? ({ part: 'json', ending: JSON_ENDING } as const)
      : layout.text !== undefined && rest.endsWith(layout.text.ending)
        ? ({ part: 'text', ending: layout.text.ending } as const)
        : undefined;
    if (part === undefined || rest === part.ending) return undefined;
    return { kind, name: rest.slice(0, -part.ending.length), part: part.part } as const;
  }
  return undefined;
}

/** Reads a file whose content is JSON. Throws `invalid_request`. */
export function parsed({ path, text }: DefinitionFile): Definition {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Problem('invalid_request', `${path} is not JSON: ${why}`, { cause });
  }
  refuseDeep(value, path);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return value as Definition;
  }
  throw invalid(`${path} is no JSON object`);
}

/** What is nested deeper than this would be a trouble to everybody who goes through it. */
function refuseDeep(value: unknown, path: string, depth = 0): void {
  if (typeof value !== 'object' || value === null) return;
  if (depth > DEFINITION_DEPTH_MAX) {
    throw invalid(`${path} is nested deeper than ${DEFINITION_DEPTH_MAX} levels`);
  }
  for (const member of Object.values(value)) refuseDeep(member, path, depth + 1);
}

export function jsonText(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** With the members of objects by name, in all depths: for what has no order of its own. */
export function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  const sorted = members.toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(sorted.map(([name, member]) => [name, inOrder(member)]));
}

function invalid(message: string): Problem {
  return new Problem('invalid_request', message);
}
