import type { GraphOperation } from '@trellis/contract/shapes/graph-operation.ts';
import type { FieldType } from '@trellis/contract/shapes/schema-document.ts';
import { RDF } from '@trellis/contract/rdf-terms.ts';
import { exactValue } from './exact-text.ts';
import { type Quad, SaidOfOne, type Term } from './quads.ts';
import type { ToldSchema } from './told-schema.ts';

type Reference = { readonly uid: string } | { readonly type: string; readonly key: string };

/** What is being said of a node or an edge. */
interface Draft {
  /** The name that statements about it have as their subject. */
  readonly name: string;
  readonly what:
    | { readonly node: Reference; readonly edge?: undefined }
    | {
        readonly edge: { from: Reference; type: string; to: Reference };
        readonly node?: undefined;
      };
  type: string | undefined;
  timestamp: string | undefined;
  readonly fields: Record<string, unknown>;
  readonly aliases: string[];
  readonly said: SaidOfOne;
}

/** Makes operations of the statements that an export of this format has. */
export class ExportedQuads {
  readonly #schema: ToldSchema;
  #draft: Draft | undefined;

  constructor(schema: ToldSchema) {
    this.#schema = schema;
  }

  /**
   * The operation of what was said before, when this statement is of something else. Throws an
   * `Error` that says what is wrong.
   */
  add(quad: Quad): GraphOperation | undefined {
    const { subject, predicate, object } = quad;
    const name = nameOf(subject);
    const isEdge = predicate.value.startsWith(RDF.edges);
    const done = isEdge || name !== this.#draft?.name ? this.take() : undefined;
    if (predicate.value === RDF.schema && subject.value === RDF.graph) {
      this.#schema.add(JSON.parse(object.value));
    } else if (isEdge) {
      const type = predicate.value.slice(RDF.edges.length);
      this.#draft = draftOf(quad.graph === undefined ? '' : nameOf(quad.graph), {
        edge: { from: referenceTo(subject), type, to: referenceTo(object) },
      });
    } else {
      this.#draft ??= draftOf(name, { node: referenceTo(subject) });
      this.#say(this.#draft, predicate, object);
    }
    return done;
  }

  /** The operation of what was said last. */
  take(): GraphOperation | undefined {
    const draft = this.#draft;
    this.#draft = undefined;
    if (draft === undefined) return undefined;
    const { what, type, timestamp, fields, aliases } = draft;
    const { node, edge } = what;
    const time = timestamp === undefined ? {} : { timestamp };
    if (edge !== undefined) {
      const some = Object.keys(fields).length === 0 ? {} : { fields };
      return { op: 'link', from: edge.from, edge: edge.type, to: edge.to, ...time, ...some };
    }
    return {
      op: 'addOrUpdate',
      ...node,
      ...('uid' in node && type !== undefined && { type }),
      ...time,
      fields,
      ...(aliases.length > 0 && { aliases }),
    };
  }

  #say(draft: Draft, predicate: Term, object: Term): void {
    const { value } = predicate;
    draft.said.count(object);
    if (value === RDF.type) {
      draft.type = textAfter(RDF.types, object.value, 'a node type');
    } else if (value === RDF.timestamp) draft.timestamp = object.value;
    else if (value === RDF.alias) draft.aliases.push(object.value);
    else {
      const field = textAfter(RDF.fields, value, 'a field');
      if (field === '__proto__') throw new Error('no field has this name');
      draft.fields[field] = exactValue(this.#typeOf(draft, field), object.value);
    }
  }

  #typeOf({ what: { node, edge }, type = '' }: Draft, field: string): FieldType {
    const owner =
      edge === undefined
        ? this.#schema.nodeType('type' in node ? node.type : type)
        : this.#schema.edgeType(edge.type);
    const types = owner?.fields ?? {};
    return (Object.hasOwn(types, field) ? types[field] : undefined) ?? 'String';
  }
}

function draftOf(name: string, what: Draft['what']): Draft {
  const said = new SaidOfOne();
  return { name, what, type: undefined, timestamp: undefined, fields: {}, aliases: [], said };
}

/** A blank node cannot have the name of an IRI. */
function nameOf(term: Term): string {
  return term.kind === 'blank' ? `_:${term.value}` : term.value;
}

function referenceTo({ value }: Term): Reference {
  const name = textAfter(RDF.nodes, value, 'a node');
  const colon = name.indexOf(':');
  if (colon < 0) return { uid: name };
  try {
    return { type: name.slice(0, colon), key: decodeURIComponent(name.slice(colon + 1)) };
  } catch (cause) {
    throw new Error(`<${value}> has no key that is encoded as in an address`, { cause });
  }
}

function textAfter(prefix: string, iri: string, what: string): string {
  if (iri.startsWith(prefix)) return iri.slice(prefix.length);
  throw new Error(`<${iri.slice(0, 200)}> is not ${what} of an export: those begin with ${prefix}`);
}
