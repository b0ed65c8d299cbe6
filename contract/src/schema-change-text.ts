import type { SchemaChangeMade } from './shapes/schema-change.ts';

/** A change in words, such as `rename Book.Title to Name`. */
export function schemaChangeText(made: SchemaChangeMade): string {
  if ('rename' in made) return `rename ${schemaPlaceText(made.rename)} to ${made.rename.to}`;
  if ('retype' in made) return `give ${schemaPlaceText(made.retype)} the type ${made.retype.to}`;
  return 'drop' in made
    ? `drop ${schemaPlaceText(made.drop)}`
    : `restore ${schemaPlaceText(made.restore)}`;
}

/** A type, an edge type, or a field as `Book.Title`. */
export function schemaPlaceText(place: object): string {
  const { type, edge, field }: { type?: string; edge?: string; field?: string } = place;
  return [type ?? edge, field].filter((part) => part !== undefined).join('.');
}
