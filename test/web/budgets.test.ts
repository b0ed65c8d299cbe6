import { join } from 'node:path';
import { expect, test } from 'vitest';
import { frontEndSizes, ROUTE_BYTES_MAX, SHELL_BYTES_MAX } from '../../tools/front-end-sizes.ts';

test('the front end keeps its budgets of size', () => {
  const { shellBytes, routes } = frontEndSizes(join(import.meta.dirname, '../../web/dist'));
  expect(shellBytes, 'the shell').toBeLessThanOrEqual(SHELL_BYTES_MAX);
  expect(routes.length).toBeGreaterThan(20);
  expect(routes.filter(({ bytes }) => bytes > ROUTE_BYTES_MAX)).toEqual([]);
});
