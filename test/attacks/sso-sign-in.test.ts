import { afterAll, beforeAll, expect, test } from 'vitest';
import { PlainBrowser } from '../sso/plain-browser.ts';
import { openSamlScene, submit, type SamlScene } from '../sso/saml-scene.ts';
import { exchange } from '../sso/sso-workspace.ts';

/**
 * Sign-ins of one address that may be refused before others wait, and how long they wait at most.
 */
const FREE = 100;
const DELAY_MAX_SECONDS = 30;

let scene: SamlScene;
beforeAll(async () => {
  scene = await openSamlScene();
  await scene.configure();
});
afterAll(() => scene[Symbol.asyncDispose]());

async function signIn(browser: PlainBrowser) {
  const visit = await submit(await scene.comeBack(browser));
  return { status: visit.status, retryAfter: Number(visit.headers.get('retry-after')), visit };
}

test('sign-ins that fail from an address keep nobody out who has signed in on their device', async () => {
  const ann = new PlainBrowser();
  const first = await signIn(ann);
  expect(first.status).toBe(303);
  const { status, headers } = await exchange(
    scene.at,
    ann,
    first.visit.headers.get('location') ?? '',
  );
  expect(status).toBe(200);
  expect(headers.getSetCookie().join()).toMatch(/trellis-device=.+; HttpOnly; SameSite=Strict/);
  const { action, fields } = await scene.comeBack(new PlainBrowser());
  const forged = { action, fields: { ...fields, SAMLResponse: btoa('<forged/>') } };
  const statuses = new Set<number>();
  for (let i = 0; !statuses.has(429) && i < 3 * FREE; i++) {
    statuses.add((await submit(forged)).status);
  }
  expect(statuses).toEqual(new Set([401, 429]));
  expect((await signIn(ann)).status).toBe(303);
  const stranger = await signIn(new PlainBrowser());
  // Failures are forgotten meanwhile: another one may have to bring the delay back.
  const refused = stranger.status === 429 ? stranger : await submitUntilRefused(forged);
  expect(refused.retryAfter).toBeLessThanOrEqual(DELAY_MAX_SECONDS);
});

async function submitUntilRefused(form: Parameters<typeof submit>[0]) {
  for (let i = 0; i < 3 * FREE; i++) {
    const { status, headers } = await submit(form);
    if (status === 429) return { retryAfter: Number(headers.get('retry-after')) };
  }
  return expect.fail('was never refused');
}
