import { createHash } from 'node:crypto';

/** 32 and 32 words, so that a byte picks each evenly. */
const ADJECTIVES = [
  'amber',
  'bold',
  'brave',
  'bright',
  'brisk',
  'calm',
  'clear',
  'clever',
  'copper',
  'coral',
  'crisp',
  'eager',
  'fair',
  'gentle',
  'golden',
  'grand',
  'green',
  'happy',
  'hazel',
  'keen',
  'kind',
  'lively',
  'lucky',
  'mellow',
  'noble',
  'quick',
  'quiet',
  'silver',
  'steady',
  'sunny',
  'swift',
  'warm',
] as const;
const NOUNS = [
  'acorn',
  'alder',
  'aspen',
  'beech',
  'birch',
  'cedar',
  'clover',
  'cypress',
  'elder',
  'elm',
  'fern',
  'fir',
  'hawthorn',
  'heather',
  'hickory',
  'holly',
  'ivy',
  'jasmine',
  'juniper',
  'larch',
  'laurel',
  'lilac',
  'linden',
  'maple',
  'myrtle',
  'oak',
  'olive',
  'pine',
  'rowan',
  'sorrel',
  'spruce',
  'willow',
] as const;
const NUMBERS = 100;

/**
 * The friendly name of a replica, such as `brisk-maple-42`: always the same for one ReplicaUID, for
 * people to tell replicas apart by (specification, section 2.7). It is no identity: two replicas
 * may share one.
 */
export function replicaName(replicaUID: string): string {
  const hash = createHash('sha256').update(replicaUID).digest();
  const adjective = ADJECTIVES[hash[0]! % ADJECTIVES.length]!;
  const noun = NOUNS[hash[1]! % NOUNS.length]!;
  return `${adjective}-${noun}-${hash.readUInt16BE(2) % NUMBERS}`;
}
