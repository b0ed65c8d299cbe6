import { expect, it } from 'vitest';
import { SlicePauses } from './keep-packing.ts';

it('rests as long as a slice asks for, however long nothing was packed before', () => {
  const local = { sequence: 1, isBusy: false };
  let now = 0;
  const pauses = new SlicePauses(local, () => now);
  // An hour later a commit comes, and what it changed is packed.
  now = 3_600_000;
  local.sequence = 2;
  pauses.begin();
  now += 4;
  expect(pauses.nextMs).toBe(2);
  local.sequence = 3;
  expect(pauses.nextMs).toBe(20);
  now += 6;
  expect(pauses.nextMs).toBe(40);
  pauses.begin();
  expect(pauses.nextMs).toBe(2);
  local.isBusy = true;
  expect(pauses.nextMs).toBe(20);
});
