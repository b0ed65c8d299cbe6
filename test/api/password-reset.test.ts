import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { field } from '../support/http-client.ts';
import { Mailbox } from '../support/mailbox.ts';
import { items, PASSWORD, People } from '../support/people.ts';

const NEW_PASSWORD = 'battery staple';
const ADDRESS = 'https://trellis.example/graph';

function tokenIn(text: string): string {
  return /\/#\/reset-password\?token=([\w-]+)/.exec(text)?.[1] ?? expect.fail(`no link in ${text}`);
}

const complete = (people: People, token: string, newPassword = NEW_PASSWORD) =>
  people.outcome('', 'POST', '/api/login/password/reset/complete', { token, newPassword });

describe('with a mail server', () => {
  let mailbox: Mailbox;
  let people: People;
  beforeAll(async () => {
    mailbox = await Mailbox.open();
    people = await People.start({ MSK_SMTP_URL: mailbox.url, MSK_PUBLIC_ADDRESS: ADDRESS });
    for (const name of ['ann', 'bob', 'carol', 'leaver']) await people.add(name);
    await people.add('manager', { roles: ['CanManageUsers'] });
  });
  afterAll(async () => {
    await people[Symbol.asyncDispose]();
    await mailbox[Symbol.asyncDispose]();
  });

  const ask = async (email: string) => {
    const body = { email };
    const { status, text } = await people.as('', 'POST', '/api/login/password/reset', body);
    expect([status, text]).toEqual([202, '{}']);
  };

  const changeEmail = async (who: string, whom: string, email: string) => {
    const path = `/api/users/user/${people.uid(whom)}`;
    expect(await people.outcome(who, 'PUT', path, { email })).toEqual([200, undefined]);
  };

  test('the link in the mail sets the password, once, and ends the sessions', async () => {
    await ask('ann@example.com');
    const mail = await mailbox.mail(1);
    expect(mail.from?.address).toBe('no-reply@trellis.example');
    expect(mail.to?.map(({ address }) => address)).toEqual(['ann@example.com']);
    expect(mail.text).toContain(`${ADDRESS}/#/reset-password?token=`);
    const token = tokenIn(mail.text ?? '');
    expect(tokenIn(mail.html ?? '')).toBe(token);

    expect(await complete(people, token, 'ninechars')).toEqual([422, 'weak_password']);
    expect(await people.outcome('ann', 'GET', '/api/login/check')).toEqual([200, undefined]);
    expect(await complete(people, token)).toEqual([204, undefined]);
    expect(await complete(people, token, 'yet another one')).toEqual([400, 'invalid_reset_token']);
    expect(await people.outcome('ann', 'GET', '/api/login/check')).toEqual([401, 'invalid_token']);
    await expect(people.workspace.http.signIn('ann', PASSWORD)).rejects.toThrow('401');
    await expect(people.workspace.http.signIn('ann', NEW_PASSWORD)).resolves.toBeTypeOf('string');
  });

  test('whoever may not have one gets the same answer and no mail', async () => {
    const leaver = `/api/users/user/${people.uid('leaver')}`;
    expect(await people.outcome('admin', 'POST', `${leaver}/deactivate`)).toEqual([204, undefined]);
    await changeEmail('bob', 'bob', 'stranger@example.com');
    // Else whoever manages users would have their accounts.
    await changeEmail('manager', 'carol', 'mine@example.com');
    const before = mailbox.mails.length;
    for (const email of [
      'nobody@example.com',
      'leaver@example.com',
      'stranger@example.com',
      'mine@example.com',
      '',
    ]) {
      await ask(email);
    }
    // The requests are looked at in turn: once this mail is there, those before have had their
    // time.
    await changeEmail('admin', 'bob', 'bob@example.com');
    await ask('bob@example.com');
    const last = await mailbox.mail(before + 1);
    expect(last.to?.[0]?.address).toBe('bob@example.com');
    expect(mailbox.mails).toHaveLength(before + 1);
  });

  test('the audit trail tells why, to administrators', async () => {
    const events = items(
      await people.as('admin', 'GET', '/api/audit?action=password&outcome=failure'),
    );
    const reasons = events.map(({ details }) => Object(details).reason);
    expect(reasons.toSorted()).toEqual([
      'inactive',
      'unconfirmed_address',
      'unconfirmed_address',
      'unknown_address',
      'unknown_address',
    ]);
    const done = items(await people.as('admin', 'GET', '/api/audit?action=password.reset'));
    expect(done).toMatchObject([{ actor: null, target: { name: 'ann' }, outcome: 'success' }]);
  });

  test('no secret gets into the log', () => {
    const { stderr } = people.workspace.server;
    expect(stderr).not.toContain(tokenIn(mailbox.mails[0]?.text ?? ''));
    expect(stderr).not.toContain(mailbox.url);
  });
});

describe('without a mail server', () => {
  let people: People;
  beforeAll(async () => {
    people = await People.start();
    await people.add('ann');
    await people.add('manager', { roles: ['CanManageUsers'] });
    await people.add('reader', { isAdmin: true, isReadOnlyAdmin: true });
    const body = { userName: 'newcomer', email: 'newcomer@example.com' };
    await people.as('admin', 'POST', '/api/users', body);
  });
  afterAll(() => people[Symbol.asyncDispose]());

  const link = (who: string, whom: string) =>
    people.as(who, 'POST', `/api/users/user/${whom}/password-reset`);

  test('asking is answered all the same', async () => {
    const body = { email: 'ann@example.com' };
    const { status, json } = await people.as('', 'POST', '/api/login/password/reset', body);
    expect([status, json]).toEqual([202, {}]);
  });

  test.each(['', 'ann', 'manager', 'reader'])('"%s" gets no link', async (who) => {
    const { status, json } = await link(who, people.uid('ann'));
    const expected = who === '' ? [401, 'missing_token'] : [403, 'forbidden'];
    expect([status, field(json, 'error', 'code')]).toEqual(expected);
  });

  test('an administrator gets a link, with which a user without a password can sign in', async () => {
    const [newcomer] = items(await people.as('admin', 'GET', '/api/users?query=newcomer'));
    const { status, json } = await link('admin', String(newcomer?.['UID']));
    expect(status).toBe(201);
    expect(field(json, 'link')).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#\/reset-password\?token=/);
    const leftMs = Date.parse(field(json, 'expiresAt')) - Date.now();
    expect(leftMs).toBeGreaterThan(29 * 60_000);
    expect(leftMs).toBeLessThanOrEqual(30 * 60_000);
    expect(await complete(people, tokenIn(field(json, 'link')))).toEqual([204, undefined]);
    const session = people.workspace.http.signIn('newcomer', NEW_PASSWORD);
    await expect(session).resolves.toBeTypeOf('string');
  });

  test('a link does not outlive a deactivation, and there is none while it lasts', async () => {
    const uid = await people.add('leaver');
    const { json } = await link('admin', uid);
    await people.as('admin', 'POST', `/api/users/user/${uid}/deactivate`);
    const refused = await link('admin', uid);
    expect([refused.status, field(refused.json, 'error', 'code')]).toEqual([
      409,
      'user_deactivated',
    ]);
    await people.as('admin', 'PUT', `/api/users/user/${uid}`, { active: true });
    const outcome = await complete(people, tokenIn(field(json, 'link')));
    expect(outcome).toEqual([400, 'invalid_reset_token']);
  });

  test('there is no link for nobody, and no password for a made-up one', async () => {
    const { status, json } = await link('admin', '1111111111111111111111');
    expect([status, field(json, 'error', 'code')]).toEqual([404, 'user_not_found']);
    expect(await complete(people, 'A'.repeat(43))).toEqual([400, 'invalid_reset_token']);
  });
});
