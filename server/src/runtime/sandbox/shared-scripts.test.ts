import { expect, it } from 'vitest';
import { SHARED_SCRIPTS_CHARACTERS_MAX } from '#base/endpoint-limits.ts';
import { SharedScripts } from './shared-scripts.ts';

function script(name: string, length = 10) {
  const text = 'x'.repeat(length);
  return { fileName: name, script: text, parameters: '', imports: [], digest: name };
}

function sending() {
  const items: string[] = [];
  return { items, scripts: new SharedScripts((item) => items.push(item)) };
}

it('sends a long script once, and a short one with each realm', () => {
  const { items, scripts } = sending();
  const short = { ...script('short'), digest: undefined };
  expect(scripts.sent([script('a'), { ...script('b'), imports: [0] }, short])).toEqual([
    { shared: 1, imports: [] },
    { shared: 2, imports: [0] },
    short,
  ]);
  expect(scripts.sent([script('b')])).toEqual([{ shared: 2, imports: [] }]);
  expect(items).toEqual(['"script",1', '"script",2']);
});

it('forgets those that nobody has asked for longest, and none that is needed', () => {
  const { items, scripts } = sending();
  const half = SHARED_SCRIPTS_CHARACTERS_MAX / 2;
  scripts.sent([script('a', half)]);
  scripts.sent([script('b', half)]);
  scripts.sent([script('a', half)]);
  expect(items.splice(0)).toEqual(['"script",1', '"script",2']);
  scripts.sent([script('c', 1)]);
  expect(items.splice(0)).toEqual(['"script",3', '"forget-script",2']);
  const needed = ['a', 'd', 'e'].map((name) => script(name, half));
  expect(scripts.sent(needed)).toMatchObject([{ shared: 1 }, { shared: 4 }, { shared: 5 }]);
  expect(items.splice(0)).toEqual(['"script",4', '"script",5', '"forget-script",3']);
  scripts.sent([script('c', 1)]);
  expect(items).toEqual(['"script",6', '"forget-script",1', '"forget-script",4']);
});
