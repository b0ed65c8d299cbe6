import { expect, test } from 'vitest';
import { tickObject } from './server.ts';

test('an object as Node makes them for ticks is there to be kept', async () => {
  const tick = tickObject();
  await new Promise<void>((resolve) => process.nextTick(resolve));
  expect(tick).toHaveProperty('callback');
});
