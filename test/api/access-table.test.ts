import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { operations } from '@trellis/contract/operations.ts';
import { sampleRequest } from '@trellis/contract/testing/sample-requests.ts';
import {
  accessRow,
  CALLER_KINDS,
  INVALID_CALLERS,
  type AccessRow,
  type CallerKind,
} from '../support/access-rows.ts';
import { AccessScene } from '../support/access-scene.ts';

let scene: AccessScene;
beforeAll(async () => {
  scene = await AccessScene.start();
});
afterAll(() => scene[Symbol.asyncDispose]());

const INVALID: readonly CallerKind[] = INVALID_CALLERS;
/** What tells a caller that it is not theirs to call; other refusals come from behind the gate. */
const GATE_CODES = ['missing_token', 'invalid_token', 'forbidden', 'teams_disabled'];
let times = 0;

interface Outcome {
  readonly status: number;
  readonly code: unknown;
  readonly challenge: string | null;
  readonly details: unknown;
}

type Row = (typeof operations)[number];

async function call(operation: Row, kind: CallerKind): Promise<Outcome> {
  const { method, path, body, form } = await sampleRequest(operation, scene, ++times);
  const answer = await scene.people.workspace.http.send({
    method,
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
  // The MCP server says more: where its clients get tokens.
  const challenge =
    answer.headers.get('www-authenticate')?.replace(/,? resource_metadata="[^"]+"$/, '') ?? null;
  return { status: answer.status, code: error.code, challenge, details: error.details };
}

function check(id: string, row: AccessRow, kind: CallerKind, outcome: Outcome): void {
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
  } else if (row.hidden.includes(kind)) {
    expect(status, what).toBe(404);
  } else {
    expect([status, code], what).toEqual([403, 'forbidden']);
    expect(Object.keys(Object(details)).length, `${what} says what is needed`).toBeGreaterThan(0);
  }
}

/** Whoever may not goes first, so that nothing is gone or changed before they have tried. */
function inOrder({ allowed }: AccessRow): CallerKind[] {
  return CALLER_KINDS.toSorted((a, b) => Number(allowed.includes(a)) - Number(allowed.includes(b)));
}

describe('every operation, called by every kind of caller, does what its row says', () => {
  /** It ends the sessions that the others are called with. */
  const isLast = ({ id }: Row): boolean => id === 'endSession';
  const ordered = operations.toSorted((a, b) => Number(isLast(a)) - Number(isLast(b)));

  test.each(ordered.map((operation) => [operation.id, operation] as const))(
    '%s',
    async (id, operation) => {
      const row = accessRow(operation);
      for (const kind of inOrder(row)) check(id, row, kind, await call(operation, kind));
    },
  );
});
