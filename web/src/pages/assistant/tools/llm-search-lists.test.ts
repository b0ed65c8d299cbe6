import { describe, expect, test } from 'vitest';
import { filtersOf, storedLists, withTypes } from './llm-search-lists.ts';

const AVAILABLE = { Book: ['Year', 'Tag'], Author: ['Born'], Note: [] };
const ALL = { nodeTypes: ['Author', 'Book', 'Note'], filters: ['Born', 'Tag', 'Year'] };

describe('what models search', () => {
  test('has the filters of the chosen types, and of all when none is chosen', () => {
    expect(filtersOf(AVAILABLE, ['Book', 'Gone'])).toEqual(['Tag', 'Year']);
    expect(filtersOf(AVAILABLE, [])).toEqual(['Born', 'Tag', 'Year']);
  });

  test('all filters stay all when the types change', () => {
    expect(withTypes(AVAILABLE, ALL, ['Author'])).toEqual({
      nodeTypes: ['Author'],
      filters: ['Born'],
    });
    const author = { nodeTypes: ['Author'], filters: ['Born'] };
    expect(withTypes(AVAILABLE, author, ['Author', 'Book']).filters).toEqual(ALL.filters);
  });

  test('of chosen filters those go that no type has', () => {
    const lists = { nodeTypes: ['Author', 'Book'], filters: ['Born', 'Tag'] };
    expect(withTypes(AVAILABLE, lists, ['Book']).filters).toEqual(['Tag']);
  });

  test('all of a list is stored as an empty one', () => {
    expect(storedLists(AVAILABLE, ALL)).toEqual({ nodeTypes: [], filters: [] });
    const lists = { nodeTypes: ['Book'], filters: ['Tag'] };
    expect(storedLists(AVAILABLE, lists)).toEqual(lists);
  });
});
