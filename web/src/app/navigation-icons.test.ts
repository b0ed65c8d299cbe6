import { expect, it } from 'vitest';
import { NAVIGATION } from './navigation.ts';
import { NAVIGATION_ICONS } from './navigation-icons.ts';

it('there is an icon for each page of the menu, and for no other', () => {
  const pages = NAVIGATION.flatMap(({ items }) => items.map(({ to }): string => to));
  expect(Object.keys(NAVIGATION_ICONS).toSorted()).toEqual(pages.toSorted());
});
