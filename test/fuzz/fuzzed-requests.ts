import fc from 'fast-check';
import { broken } from './broken-values.ts';
import type { DescribedOperation, Parameter } from './described-operations.ts';
import type { SchemaValues } from './schema-values.ts';

export interface FuzzedRequest {
  readonly operation: DescribedOperation;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | FormData | undefined;
}

/**
 * Requests to one operation: most as they should be, some with a part that is not. `sample` is a
 * body that the operation takes.
 */
export function requestsTo(
  operation: DescribedOperation,
  values: SchemaValues,
  sample: unknown,
): fc.Arbitrary<FuzzedRequest> {
  const { path: pattern } = operation;
  const parameters = fc.tuple(
    ...operation.parameters.map((parameter) => parameterOf(parameter, values, pattern)),
  );
  return fc.tuple(parameters, bodyOf(operation, values, sample)).map(([given, { type, body }]) => {
    const of = (place: Parameter['in']) => given.filter((one) => one.in === place);
    const path = of('path').reduce(
      (text, { name, value }) => text.replace(`{${name}}`, encodeURIComponent(value ?? '')),
      operation.path,
    );
    const query = new URLSearchParams(
      of('query').flatMap(({ name, value }) =>
        value === undefined ? [] : [[name, value] as [string, string]],
      ),
    );
    const headers = of('header').flatMap(({ name, value }) =>
      value === undefined || !/^[\x21-\x7e]*$/.test(value) ? [] : [[name, value] as const],
    );
    return {
      operation,
      path: query.size === 0 ? path : `${path}?${query.toString()}`,
      headers: {
        ...Object.fromEntries(headers),
        ...(type === undefined ? {} : { 'content-type': type }),
      },
      body,
    };
  });
}

interface GivenParameter {
  readonly name: string;
  readonly in: Parameter['in'];
  /** Undefined when it is left out. */
  readonly value: string | undefined;
}

function parameterOf(
  parameter: Parameter,
  values: SchemaValues,
  path: string,
): fc.Arbitrary<GivenParameter> {
  const { name, in: place, required = false, schema } = parameter;
  const [list = ''] = path.split(`{${name}}`);
  const given = values.of(schema, name, { place: place === 'path' ? list + name : '' });
  const value = fc.oneof({ arbitrary: given, weight: 9 }, { arbitrary: broken(given), weight: 1 });
  const text = value.map((some) => textOf(some));
  if (place === 'path')
    return text.filter(isSegment).map((some) => ({ name, in: place, value: some }));
  const leftOut = fc.constant(undefined);
  // A server that is not there yet is waited for.
  const isWaitedFor = name === 'X-MSK-Min-Sequence';
  const weight = isWaitedFor ? 60 : 3;
  return fc
    .oneof(
      { arbitrary: text, weight: required ? 30 : 1 },
      { arbitrary: leftOut, weight: required ? 1 : weight },
    )
    .map((some) => ({ name, in: place, value: some }));
}

function textOf(value: unknown): string {
  const items: readonly unknown[] = Array.isArray(value) ? value : [value];
  return items
    .map((item) => (typeof item === 'object' ? JSON.stringify(item) : String(item)).toWellFormed())
    .join(',');
}

/** An empty one, and dots, are another path. */
function isSegment(text: string): boolean {
  return text !== '' && text !== '.' && text !== '..' && text.length < 1_000;
}

interface GivenBody {
  readonly type: string | undefined;
  readonly body: FuzzedRequest['body'];
}

const NO_BODY: GivenBody = { type: undefined, body: undefined };

function bodyOf(
  { body }: DescribedOperation,
  values: SchemaValues,
  sample: unknown,
): fc.Arbitrary<GivenBody> {
  if (body === undefined) return fc.constant(NO_BODY);
  const [[type = '', { schema = {} }] = ['', {}]] = Object.entries(body.content);
  if (type === 'application/zip') return fc.string().map((text) => ({ type, body: text }));
  if (type === 'multipart/form-data') return fc.string().map(formWith);
  const made = values.of(schema);
  const value = sample === undefined ? made : fc.oneof(made, made, fc.constant(sample));
  const encode = type === 'application/json' ? jsonText : formText;
  const whole = value.map((some) => ({ type, body: encode(some) }));
  const other = broken(value).map((some) => ({ type, body: encode(some) }));
  const cut = whole.map((good) => ({ type, body: good.body?.slice(0, -1) }));
  const mistyped = whole.map((good) => ({ ...good, type: 'text/csv' }));
  return fc.oneof(
    { arbitrary: whole, weight: 12 },
    { arbitrary: other, weight: 6 },
    { arbitrary: cut, weight: 1 },
    { arbitrary: mistyped, weight: 1 },
    { arbitrary: fc.constant(NO_BODY), weight: body.required ? 1 : 4 },
  );
}

function jsonText(value: unknown): string | undefined {
  return JSON.stringify(value);
}

function formText(value: unknown): string {
  const fields = Object.entries(Object(value)).map(([name, part]): [string, string] => [
    name,
    textOf(part),
  ]);
  return new URLSearchParams(fields).toString();
}

function formWith(text: string): GivenBody {
  const form = new FormData();
  form.set('file', new Blob([text]), 'notes.txt');
  return { type: undefined, body: form };
}
