import { SAML_ATTRIBUTES_MAX, SAML_ELEMENTS_MAX } from '#base/limits.ts';

const DECLARATION = /^<\?xml [^<>?]*\?>[ \t\r\n]*/;
const NAME = '[A-Za-z_][\\w.-]*(?::[A-Za-z_][\\w.-]*)?';
const START = new RegExp(`<(${NAME})`, 'y');
const ATTRIBUTE = new RegExp(
  `[ \\t\\r\\n]+(${NAME})[ \\t\\r\\n]*=[ \\t\\r\\n]*("[^"<]*"|'[^'<]*')`,
  'y',
);
const START_END = /[ \t\r\n]*(\/?)>/y;
const END = new RegExp(`</(${NAME})[ \\t\\r\\n]*>`, 'y');
const TEXT = /[^<]+/y;
const UNKNOWN_REFERENCE = /&(?!(?:lt|gt|amp|quot|apos|#\d{1,7}|#x[\da-f]{1,6});)/i;

/** The element at the root, as it is written. */
export interface XmlRoot {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
}

/**
 * Whether a text is XML as every reader of XML understands it alike: elements, attributes and text,
 * well-formed, with no document type, comment, CDATA, processing instruction or unknown reference,
 * and not many of them. The library that checks signatures takes quadratic time for large documents
 * and prints what it finds odd, so that it is shown nothing else. Undefined when it is not. In one
 * pass; entities of values are not resolved.
 */
export function readPlainXml(text: string): XmlRoot | undefined {
  if (UNKNOWN_REFERENCE.test(text)) return undefined;
  const xml = text.replace(DECLARATION, '').trimEnd();
  const open: string[] = [];
  let root: XmlRoot | undefined;
  let elements = 0;
  let attributes = 0;
  let at = 0;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const match = pattern.exec(xml);
    if (match !== null) at = pattern.lastIndex;
    return match;
  };
  while (at < xml.length) {
    const end = take(END);
    if (end !== null) {
      if (open.pop() !== end[1]) return undefined;
      continue;
    }
    if (open.length > 0 && take(TEXT) !== null) continue;
    const name = take(START)?.[1];
    if (name === undefined || (open.length === 0 && root !== undefined)) return undefined;
    const own = new Map<string, string>();
    for (let found = take(ATTRIBUTE); found !== null; found = take(ATTRIBUTE)) {
      const [, attribute = '', quoted = ''] = found;
      if (own.has(attribute)) return undefined;
      own.set(attribute, quoted.slice(1, -1));
    }
    const tail = take(START_END);
    if (tail === null) return undefined;
    if (tail[1] === '') open.push(name);
    attributes += own.size;
    if (++elements > SAML_ELEMENTS_MAX || attributes > SAML_ATTRIBUTES_MAX) return undefined;
    root ??= { name, attributes: own };
  }
  return open.length === 0 ? root : undefined;
}

/**
 * Reads the tree that the SAML library makes of signed XML: an element is an object with its
 * attributes under "$", its text under "_", and under each local name the list of its children of
 * that name.
 */
export function childrenOf(element: unknown, name: string): readonly unknown[] {
  const found = memberOf(element, name);
  if (found === undefined) return [];
  return Array.isArray(found) ? found : [found];
}

export function attributeOf(element: unknown, name: string): string | undefined {
  const value = memberOf(memberOf(element, '$'), name);
  return typeof value === 'string' ? value : undefined;
}

export function textOf(element: unknown): string | undefined {
  const text = typeof element === 'string' ? element : memberOf(element, '_');
  return typeof text === 'string' ? text : undefined;
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null
    ? Object.getOwnPropertyDescriptor(value, name)?.value
    : undefined;
}
