import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { openLog } from '#observe/logger.ts';
import { Mailbox, MAIL_PASSWORD } from '../../../test/support/mailbox.ts';
import { openMailSender, senderAddress } from './mail-sender.ts';

const MAIL = { to: 'ann@example.com', subject: 'S', text: 'a secret', html: '<p>a secret</p>' };
/** Never over by itself. */
const LONG_MS = 2 ** 30;

interface LogLine {
  readonly level: string;
  readonly msg: string;
  readonly code?: string;
  readonly responseCode?: number;
  readonly isFinal?: boolean;
}

function open(smtpUrl: string, retryDelaysMs: readonly number[] = []) {
  const lines: LogLine[] = [];
  const text: string[] = [];
  const arrived: (() => void)[] = [];
  const stderr = {
    write(line: string) {
      text.push(line);
      lines.push(JSON.parse(line));
      for (const resolve of arrived.splice(0)) resolve();
    },
  };
  const { logger } = openLog({
    level: 'info',
    folder: null,
    name: 'test',
    secrets: [smtpUrl],
    clock: { now: () => 0 },
    stderr,
  });
  const sender = openMailSender({ smtpUrl, publicAddress: null, logger, retryDelaysMs });
  return {
    sender,
    lines,
    text,
    /** Until so many lines have been logged. */
    async logged(count: number) {
      while (lines.length < count) await new Promise<void>((resolve) => arrived.push(resolve));
    },
    [Symbol.asyncDispose]: () => sender[Symbol.asyncDispose](),
  };
}

test('a mail arrives as it was given', async () => {
  await using mailbox = await Mailbox.open();
  await using at = open(mailbox.url);
  at.sender.send(MAIL);
  expect(await mailbox.mail(1)).toMatchObject({
    from: { name: 'Trellis', address: 'no-reply@localhost' },
    to: [{ address: 'ann@example.com' }],
    subject: 'S',
    text: 'a secret\n',
  });
});

test.each(['ann@example.com, eve@evil.example', 'ann@example.com\r\nBcc: eve@evil.example'])(
  'what holds more than one address goes to nobody else: %j',
  async (to) => {
    await using mailbox = await Mailbox.open();
    await using at = open(mailbox.url);
    at.sender.send({ ...MAIL, to });
    await at.logged(1);
    expect(at.lines).toMatchObject([{ code: 'EENVELOPE', isFinal: true }]);
    expect(mailbox.recipients).toEqual([]);
  },
);

test('what is refused for now is tried again', async () => {
  await using mailbox = await Mailbox.open();
  mailbox.answers.push(451, 421, null);
  await using at = open(mailbox.url, [0, 0, 0]);
  at.sender.send(MAIL);
  await mailbox.mail(1);
  expect(at.lines).toMatchObject([
    { responseCode: 451, isFinal: false },
    { responseCode: 421, isFinal: false },
  ]);
});

test('after the last try it is given up; nothing of the mail is in the log', async () => {
  await using mailbox = await Mailbox.open();
  mailbox.answers.push(451, 451, 451);
  await using at = open(mailbox.url, [0]);
  at.sender.send(MAIL);
  await at.logged(2);
  expect(at.lines.map(({ isFinal }) => isFinal)).toEqual([false, true]);
  expect(mailbox.attempts).toBe(2);
  for (const secret of ['ann@example.com', 'a secret', MAIL_PASSWORD, mailbox.url]) {
    expect(at.text.join('')).not.toContain(secret);
  }
});

test('what is refused for good is not tried again', async () => {
  await using mailbox = await Mailbox.open();
  mailbox.answers.push(550);
  await using at = open(mailbox.url, [0, 0]);
  at.sender.send(MAIL);
  await at.logged(1);
  expect(at.lines).toMatchObject([{ responseCode: 550, isFinal: true }]);
});

test('neither is a wrong password', async () => {
  await using mailbox = await Mailbox.open();
  await using at = open(mailbox.url.replace(/:[^:@]*@/, ':wrong@'), [0, 0]);
  at.sender.send(MAIL);
  await at.logged(1);
  expect(at.lines).toMatchObject([{ code: 'EAUTH', responseCode: 535, isFinal: true }]);
});

test('a server that is not there is tried again, and a stop does not wait for it', async () => {
  const mailbox = await Mailbox.open();
  const { url } = mailbox;
  await mailbox[Symbol.asyncDispose]();
  const at = open(url, [0, LONG_MS]);
  at.sender.send(MAIL);
  await at.logged(2);
  await at[Symbol.asyncDispose]();
  expect(at.lines.map(({ code }) => code)).toEqual(['ESOCKET', 'ESOCKET']);
});

test('nor for one that never says a word', async () => {
  const silent = createServer().listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const address = silent.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const at = open(`smtp://127.0.0.1:${port}`, [LONG_MS]);
  at.sender.send(MAIL);
  const [socket] = await once(silent, 'connection');
  const gone = once(socket.resume(), 'close');
  await at[Symbol.asyncDispose]();
  expect(at.lines).toMatchObject([{ isFinal: true }]);
  await gone;
  silent.close();
});

test.each([
  ['smtp://mail.example', 'https://trellis.example/graph', 'no-reply@trellis.example'],
  ['smtp://mail.example', null, 'no-reply@mail.example'],
  ['smtp://post:p@mail.example', 'http://127.0.0.1:8080', 'no-reply@mail.example'],
  ['smtp://post%40ours.example:p@mail.example', 'https://trellis.example', 'post@ours.example'],
  ['smtp://a%zz:p@[::1]:25', 'http://[::1]:8080', 'no-reply@localhost'],
])('the sender for %s at %s is %s', (smtpUrl, publicAddress, sender) => {
  expect(senderAddress(smtpUrl, publicAddress)).toBe(sender);
});
