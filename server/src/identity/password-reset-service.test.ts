import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  PASSWORD_RESET_LIFETIME_MS,
  PASSWORD_RESET_MAILS_MAX,
  PASSWORD_RESET_REQUESTS_MAX,
  PASSWORD_RESET_WINDOW_MS,
} from '#base/sign-in-limits.ts';
import { type Mail, PasswordResetService } from './password-reset-service.ts';
import { linkRecords } from './sso/account-links.ts';
import { openTestIdentity, TEST_PASSWORD, type TestIdentity } from './testing/test-identity.ts';
import { userUid } from './users.ts';
import { credentialKey } from './vault.ts';

const NEW_PASSWORD = 'battery staple';
const ADDRESS = '10.0.0.1';

let at: TestIdentity;
let mails: Mail[];
let service: PasswordResetService;

beforeEach(async () => {
  at = await openTestIdentity();
  mails = [];
  service = open();
  await putUser('ann');
  at.graph.clock.time += 1_000;
});
afterEach(async () => {
  await service[Symbol.asyncDispose]();
  await at[Symbol.asyncDispose]();
});

function open(hasMail = true): PasswordResetService {
  const { graph, vault, audit } = at;
  return new PasswordResetService({
    reader: graph.reader,
    vault,
    commits: graph.writer,
    clock: graph.clock,
    audit,
    logger: { error: (fields, message) => expect.fail(`${message} ${JSON.stringify(fields)}`) },
    mail: hasMail ? { send: (mail) => void mails.push(mail) } : null,
    publicUrl: () => 'https://trellis.example/base',
  });
}

/** With the address `<name>@example.com`, confirmed. */
async function putUser(name: string, fields: Record<string, boolean> = {}): Promise<string> {
  const uid = await at.putUser(name, { Confirmed: true, ...fields });
  await at.setAddress(name, `${name}@example.com`);
  return uid;
}

/** Asks, and answers the token that was mailed. */
async function mailedToken(email = 'ann@example.com'): Promise<string> {
  await ask(email);
  return tokenIn(mails.at(-1)?.text ?? '');
}

async function ask(email: string, address = ADDRESS): Promise<void> {
  service.request(email, address);
  await settled();
}

/** Until every request so far has been looked at. */
async function settled(): Promise<void> {
  await service[Symbol.asyncDispose]();
}

function tokenIn(text: string): string {
  const token = /#\/reset-password\?token=([\w-]{43})(?:\n|$)/.exec(text)?.[1];
  return token ?? expect.fail(`no link in ${text}`);
}

const complete = (token: string, newPassword = NEW_PASSWORD) =>
  service.complete({ token, newPassword }, ADDRESS);

describe('a mailed link', () => {
  test('goes to the address as the user has it, under the public address', async () => {
    await ask('ANN@Example.com');
    expect(mails.map(({ to }) => to)).toEqual(['ann@example.com']);
    expect(mails[0]?.text).toContain('https://trellis.example/base/#/reset-password?token=');
  });

  test('sets the password once and ends every session', async () => {
    const session = await at.signIn('ann');
    const token = await mailedToken();
    at.graph.clock.time += 1;
    await complete(token);
    expect(() => at.identity.authenticate(session)).toThrow('token');
    await expect(complete(token, 'yet another one')).rejects.toMatchObject({
      code: 'invalid_reset_token',
    });
    await expect(at.signIn('ann')).rejects.toMatchObject({ code: 'invalid_credentials' });
    at.graph.clock.time += 1;
    const { token: fresh } = await at.identity.login('ann', NEW_PASSWORD, ADDRESS);
    expect(at.identity.authenticate(fresh).userName).toBe('ann');
  });

  test('two at once with one link: one succeeds', async () => {
    const token = await mailedToken();
    const outcomes = await Promise.allSettled([complete(token), complete(token, 'another of it')]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  });

  test('a weak password leaves it as it was', async () => {
    const token = await mailedToken();
    await expect(complete(token, 'ninechars')).rejects.toMatchObject({ code: 'weak_password' });
    await expect(complete(token)).resolves.toBeUndefined();
  });

  test.each([
    ['before its time is over', -1, 'fulfilled'],
    ['when its time is over', 0, 'rejected'],
  ])('%s', async (_case, offsetMs, status) => {
    const token = await mailedToken();
    at.graph.clock.time += PASSWORD_RESET_LIFETIME_MS + offsetMs;
    const [outcome] = await Promise.allSettled([complete(token)]);
    expect(outcome.status).toBe(status);
  });

  test.each<[string, () => Promise<unknown>]>([
    ['the password was changed', () => changePassword()],
    ['another link was used', async () => complete(await mailedToken())],
    ['the address changed', () => at.setAddress('ann', 'ann@elsewhere.example')],
    ['the user was deactivated', () => at.putUser('ann', { Active: false })],
  ])('is void when %s since', async (_case, change) => {
    const token = await mailedToken();
    at.graph.clock.time += 1;
    await change();
    await expect(complete(token)).rejects.toMatchObject({ code: 'invalid_reset_token' });
  });

  test.each(['', 'x', 'A'.repeat(43), '../credential/x'])('"%s" is none', async (token) => {
    await expect(complete(token)).rejects.toMatchObject({ code: 'invalid_reset_token' });
  });

  async function changePassword(): Promise<void> {
    const caller = at.identity.authenticate(await at.signIn('ann'));
    const change = { oldPassword: TEST_PASSWORD, newPassword: 'changed by hand' };
    await at.identity.changePassword(caller, change, ADDRESS);
  }
});

test('a mail is not held back because somebody else has written the address down', async () => {
  await putUser('eve', { Confirmed: false });
  await at.setAddress('eve', 'Ann@example.com');
  await ask('ann@example.com');
  expect(mails.map(({ to }) => to)).toEqual(['ann@example.com']);
});

describe('no mail', () => {
  const reasons = () => at.events.map(({ details }) => details?.['reason']);

  test.each<[string, () => Promise<unknown>]>([
    ['unknown_address', () => at.setAddress('ann', 'ann@elsewhere.example')],
    ['inactive', () => putUser('ann', { Active: false })],
    ['unconfirmed_address', () => putUser('ann', { Confirmed: false })],
    ['identity_provider', () => linkWithoutPassword()],
    ['shared_address', () => putUser('eve').then(() => at.setAddress('eve', 'Ann@example.com'))],
  ])('%s', async (reason, arrange) => {
    await arrange();
    await ask('ann@example.com');
    expect(mails).toEqual([]);
    expect(at.vault.list('reset/')).toEqual([]);
    expect(reasons()).toEqual([reason]);
  });

  test('without a mail server', async () => {
    service = open(false);
    await ask('ann@example.com');
    expect(reasons()).toEqual(['no_mail_server']);
  });

  test('more than so many within an hour, whatever the case and wherever from', async () => {
    for (let i = 0; i < PASSWORD_RESET_MAILS_MAX + 2; i++) {
      await ask(i % 2 === 0 ? 'ann@example.com' : 'Ann@Example.com', `10.0.0.${i}`);
    }
    expect(mails).toHaveLength(PASSWORD_RESET_MAILS_MAX);
    at.graph.clock.time += PASSWORD_RESET_WINDOW_MS;
    await ask('ann@example.com');
    expect(mails).toHaveLength(PASSWORD_RESET_MAILS_MAX + 1);
  });

  test('after so many requests from one address', async () => {
    for (let i = 0; i < PASSWORD_RESET_REQUESTS_MAX; i++) {
      service.request(`guess${i}@example.com`, ADDRESS);
    }
    await ask('ann@example.com');
    expect(mails).toEqual([]);
    await ask('ann@example.com', '10.0.0.2');
    expect(mails).toHaveLength(1);
  });

  async function linkWithoutPassword(): Promise<void> {
    const uid = userUid('ann');
    const account = { issuer: 'https://issuer.example', subject: 'subject' };
    const links = linkRecords(at.vault, uid, account, []);
    const vault = [...links, { key: credentialKey(uid), value: null }];
    await at.graph.writer.commit({ operations: [], system: true, vault });
  }
});

describe('a link that an administrator makes', () => {
  let link: string;
  beforeEach(async () => {
    service = open(false);
    await at.putUser('admin', { IsAdmin: true });
    const admin = at.identity.authenticate(await at.signIn('admin'));
    at.events.length = 0;
    const created = await service.createLink(admin, userUid('ann'), ADDRESS);
    const expiresMs = at.graph.clock.time + PASSWORD_RESET_LIFETIME_MS;
    expect(created.expiresAt).toBe(new Date(expiresMs).toISOString());
    ({ link } = created);
  });

  test('needs no mail server, and tells of itself and its use', async () => {
    await complete(tokenIn(link));
    const target = { kind: 'user', id: userUid('ann'), name: 'ann' };
    expect(at.events).toMatchObject([
      { action: 'password.reset-requested', actor: { name: 'admin' }, target },
      { action: 'password.reset', actor: null, target, outcome: 'success' },
    ]);
  });

  test('outlives a change of the address', async () => {
    await at.setAddress('ann', 'ann@elsewhere.example');
    await expect(complete(tokenIn(link))).resolves.toBeUndefined();
  });

  test('is for users only', async () => {
    const admin = at.identity.authenticate(await at.signIn('admin'));
    await expect(
      service.createLink(admin, '1111111111111111111111', ADDRESS),
    ).rejects.toMatchObject({ code: 'user_not_found' });
  });
});

test('the vault and the audit trail hold no token, and what has run out goes', async () => {
  const token = await mailedToken();
  const [first] = at.vault.list('reset/');
  expect(JSON.stringify([first?.key, String(first?.value), at.events])).not.toContain(token);
  at.graph.clock.time += PASSWORD_RESET_LIFETIME_MS;
  await mailedToken();
  const left = at.vault.list('reset/').map(({ key }) => key);
  expect(left).toHaveLength(1);
  expect(left).not.toContain(first?.key);
});
