import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { accessTable } from '@trellis/contract/access-table.ts';
import { CALLER_KINDS, type CallerKind } from '@trellis/contract/caller-kinds.ts';
import { operations } from '@trellis/contract/operations.ts';
import type { Operation } from '@trellis/contract/operation.ts';
import { ACCESS_REQUESTS } from '../support/access-requests.ts';
import { AccessScene } from '../support/access-scene.ts';

let scene: AccessScene;
beforeAll(async () => {
  scene = await AccessScene.start();
});
afterAll(() => scene[Symbol.asyncDispose]());

const INVALID: readonly CallerKind[] = ['expired-token', 'revoked-token', 'token-of-another-key'];
/** What tells a caller that it is not theirs to call; other refusals come from behind the gate. */
const GATE_CODES = ['missing_token', 'invalid_token', 'forbidden', 'teams_disabled'];
let times = 0;

interface Outcome {
  readonly status: number;
  readonly code: unknown;
  readonly challenge: string | null;
  readonly details: unknown;
}

async function call(operation: Operation, kind: CallerKind): Promise<Outcome> {
  const request = ACCESS_REQUESTS[operation.id];
  if (request === undefined) throw new Error(`no request for ${operation.id}`);
  const { path, body, form } = await request(scene, ++times);
  const answer = await scene.people.workspace.http.send({
    method: operation.method,
    path,
    token: scene.token(kind),
    ...(form === undefined
      ? { body }
      : {
          body: new URLSearchParams(form).toString(),
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
        }),
  });
  const error = Object(Object(answer.json).error);
  const challenge = answer.headers.get('www-authenticate');
  return { status: answer.status, code: error.code, challenge, details: error.details };
}

function check(id: string, kind: CallerKind, outcome: Outcome): void {
  const row = accessTable[id];
  if (row === undefined) throw new Error(`the access table has no row for ${id}`);
  const { status, code, challenge, details } = outcome;
  const what = `${id} by ${kind}: ${status} ${String(code)}`;
  expect(status, what).toBeLessThan(500);
  if (row.allowed.includes(kind)) {
    expect(GATE_CODES, what).not.toContain(code);
  } else if (kind === 'nobody') {
    expect([status, code, challenge], what).toEqual([401, 'missing_token', 'Bearer']);
  } else if (INVALID.includes(kind)) {
    const expected = [401, 'invalid_token', 'Bearer error="invalid_token"'];
    expect([status, code, challenge], what).toEqual(expected);
  } else if (row.hidden?.includes(kind) === true) {
    expect(status, what).toBe(404);
  } else {
    expect([status, code], what).toEqual([403, 'forbidden']);
    expect(Object.keys(Object(details)).length, `${what} says what is needed`).toBeGreaterThan(0);
  }
}

/** Whoever may not goes first, so that nothing is gone or changed before they have tried. */
function inOrder(id: string): CallerKind[] {
  const allowed = accessTable[id]?.allowed ?? [];
  return CALLER_KINDS.toSorted((a, b) => Number(allowed.includes(a)) - Number(allowed.includes(b)));
}

describe('every operation, called by every kind of caller, does what the access table says', () => {
  /** It ends the sessions that the others are called with. */
  const isLast = ({ id }: Operation): boolean => id === 'endSession';
  const ordered = operations.toSorted((a, b) => Number(isLast(a)) - Number(isLast(b)));

  test.each(ordered.map((operation) => [operation.id, operation] as const))(
    '%s',
    async (id, operation) => {
      for (const kind of inOrder(id)) check(id, kind, await call(operation, kind));
    },
  );

  test('and the table has no rows of operations that there are not', () => {
    const ids = operations.map(({ id }) => id);
    expect(Object.keys(accessTable).toSorted()).toEqual(ids.toSorted());
    expect(Object.keys(ACCESS_REQUESTS).toSorted()).toEqual(ids.toSorted());
  });
});
