import { Parser } from 'htmlparser2';
import { ConnectorError } from '../connector-error.ts';

/** An element of an answer; those that are not of WebDAV itself have no name. */
export interface DavElement {
  readonly name: string;
  text: string;
  readonly children: DavElement[];
}

const NAMESPACE = 'DAV:';
const DEPTH_MAX = 40;
/** Elements of one resource: an access list may be long. */
const ELEMENTS_MAX = 20_000;
const TEXT_CHARACTERS_MAX = 10_000;

/**
 * The elements `response` of a `multistatus`, each as soon as it is whole. Nothing but characters
 * is made of entities, and what declares some is refused. An answer that is cut off throws.
 */
export async function* responsesIn(body: AsyncIterable<Uint8Array>): AsyncIterable<DavElement> {
  const reader = new ResponseReader();
  const decoder = new TextDecoder();
  for await (const chunk of body) yield* reader.read(decoder.decode(chunk, { stream: true }));
  yield* reader.end();
}

class ResponseReader {
  readonly #parser;
  /** From the outermost element to the one that is open. */
  readonly #open: DavElement[] = [];
  /** For each of these, what the prefixes that it declares stand for. */
  readonly #prefixes: ReadonlyMap<string, string>[] = [];
  #whole: DavElement[] = [];
  #elements = 0;
  #isEnded = false;
  #isEnding = false;

  constructor() {
    this.#parser = new Parser(
      {
        onopentag: (name, attributes) => this.#begin(name, attributes),
        ontext: (text) => this.#say(text),
        onclosetag: (_name, isImplied) => this.#close(isImplied),
        onprocessinginstruction: (name) => {
          if (name.startsWith('!')) throw senseless('declares a type of documents');
        },
      },
      { xmlMode: true, decodeEntities: true },
    );
  }

  read(text: string): DavElement[] {
    this.#parser.write(text);
    const whole = this.#whole;
    this.#whole = [];
    return whole;
  }

  end(): DavElement[] {
    this.#isEnding = true;
    this.#parser.end();
    if (!this.#isEnded) throw senseless('is cut off');
    return [];
  }

  #begin(tag: string, attributes: Readonly<Record<string, string>>): void {
    if (this.#open.length >= DEPTH_MAX) throw senseless('is too deep');
    this.#prefixes.push(prefixesIn(attributes));
    const colon = tag.indexOf(':');
    const prefix = colon === -1 ? '' : tag.slice(0, colon);
    const isDav = this.#prefixes.findLast((one) => one.has(prefix))?.get(prefix) === NAMESPACE;
    const element = { name: isDav ? tag.slice(colon + 1) : '', text: '', children: [] };
    if (this.#open.length === 0 && element.name !== 'multistatus') {
      throw senseless('is none of WebDAV');
    }
    // Within a resource: the list of resources itself is as long as it is.
    if (this.#open.length > 1) this.#open.at(-1)?.children.push(element);
    else this.#elements = 0;
    if (++this.#elements > ELEMENTS_MAX) throw senseless('says too much of one resource');
    this.#open.push(element);
  }

  #say(text: string): void {
    const element = this.#open.at(-1);
    if (element === undefined || this.#open.length < 2) return;
    element.text += text;
    if (element.text.length > TEXT_CHARACTERS_MAX) throw senseless('has a text that is too long');
  }

  #close(isImplied: boolean): void {
    const element = this.#open.pop();
    // That is also said of one that closes itself, in which there is nothing.
    const isEmpty = element?.children.length === 0 && element.text === '';
    if (this.#isEnding || (isImplied && !isEmpty)) throw senseless('is cut off');
    this.#prefixes.pop();
    if (this.#open.length === 1 && element?.name === 'response') this.#whole.push(element);
    if (this.#open.length === 0) this.#isEnded = true;
  }
}

function prefixesIn(attributes: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  const declared = Object.entries(attributes).filter(([name]) => /^xmlns(?::|$)/.test(name));
  return new Map(declared.map(([name, uri]) => [name.slice('xmlns:'.length), uri]));
}

function senseless(what: string): ConnectorError {
  return new ConnectorError('source_failed', `What the server answers ${what}`);
}

export function childOf(element: DavElement | undefined, name: string): DavElement | undefined {
  return element?.children.find((one) => one.name === name);
}

export function childrenOf(element: DavElement | undefined, name: string): DavElement[] {
  return element?.children.filter((one) => one.name === name) ?? [];
}

export function textIn(element: DavElement | undefined, name: string): string {
  return childOf(element, name)?.text.trim() ?? '';
}

/** The properties that a response has found: of one `propstat` with the status 200. */
export function propertiesOf(response: DavElement): DavElement | undefined {
  const found = childrenOf(response, 'propstat').find((one) =>
    /^HTTP\/\S+ 200\b/.test(textIn(one, 'status')),
  );
  return childOf(found, 'prop');
}
