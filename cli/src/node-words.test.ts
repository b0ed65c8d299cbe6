import { describe, expect, it } from 'vitest';
import { nodeUid } from '@trellis/client/uid.ts';
import { namedNode, uidOfNode } from './node-words.ts';

const UID = nodeUid('Word', 'dog');

describe('a node', () => {
  it.each<[string, object]>([
    [UID, { uid: UID }],
    ['Word/dog', { type: 'Word', key: 'dog' }],
    ['Word:dog', { type: 'Word', key: 'dog' }],
    ['Site/https://example.org/a:b', { type: 'Site', key: 'https://example.org/a:b' }],
    ['Site:a/b', { type: 'Site', key: 'a/b' }],
    ['Note/two\nlines', { type: 'Note', key: 'two\nlines' }],
    [`{"uid":"${UID}"}`, { uid: UID }],
    ['{"type":"Word","key":"dog"}', { type: 'Word', key: 'dog' }],
  ])('is named by %j', (word, node) => {
    expect(namedNode(word)).toEqual(node);
    expect(uidOfNode(word)).toBe('uid' in node ? node.uid : nodeUid(...pair(node)));
  });

  it.each([
    '',
    'dog',
    'Word/',
    '/dog',
    'Two words/dog',
    '{"uid":7}',
    '{"type":"Word"}',
    `{"uid":"${UID}","type":"Word"}`,
    '{"type":"Word","key":"dog","more":1}',
    '{broken',
    'null',
  ])('is not named by %j', (word) => {
    expect(() => namedNode(word)).toThrow(`"${word}" names no node`);
  });
});

function pair(node: object): [string, string] {
  const { type, key } = Object(node);
  return [String(type), String(key)];
}
