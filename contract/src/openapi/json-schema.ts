/** A JSON Schema, draft 2020-12, as OpenAPI 3.1 takes it. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

export function isJsonObject(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The same tree with each object put through `change`, the inner ones first. */
export function mapObjects(value: unknown, change: (object: JsonSchema) => JsonSchema): unknown {
  if (Array.isArray(value)) return value.map((item) => mapObjects(item, change));
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).map(([name, inner]) => [name, mapObjects(inner, change)]);
  return change(Object.fromEntries(entries) as JsonSchema);
}
