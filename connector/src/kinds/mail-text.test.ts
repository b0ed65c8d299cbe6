import { expect, test } from 'vitest';
import { readersIn } from './imap-access.ts';
import { readMail } from './mail-text.ts';
import { readRanges, writeRanges } from './uid-ranges.ts';

const mail = (...lines: readonly string[]) => ({
  seq: 1,
  uid: 1,
  size: 100,
  source: Buffer.from(lines.join('\r\n')),
});

test('a thread is named by the message that began it, whatever an answer is called', async () => {
  const first = await readMail(mail('Message-ID: <a@x>', 'Subject: Trip', '', 'Hello'), 'own');
  const answer = await readMail(
    mail('Message-ID: <c@x>', 'References: <a@x> <b@x>', 'Subject: AW: Re[2]: Trip', '', 'Yes'),
    'own',
  );
  expect([first.root, answer.root]).toEqual(['a@x', 'a@x']);
  expect([first.subject, answer.subject]).toEqual(['Trip', 'Trip']);
  expect((await readMail(mail('', 'no head'), 'own')).root).toBe('own');
});

test('names of attachments lead nowhere, and each is another', async () => {
  const part = (name: string) => [
    '--b',
    'Content-Type: text/plain',
    `Content-Disposition: attachment; filename="${name}"`,
    '',
    'text',
  ];
  const names = ['../../etc/passwd', 'a.txt', 'a.txt', 'x'.repeat(500)];
  const { attachments } = await readMail(
    mail('Content-Type: multipart/mixed; boundary=b', '', ...names.flatMap(part), '--b--'),
    'own',
  );
  expect(attachments.map(({ name }) => name)).toEqual([
    '.._.._etc_passwd',
    'a.txt',
    'a (2).txt',
    'x'.repeat(200),
  ]);
});

test('what is built to keep a reader busy comes with its envelope alone', async () => {
  const deep = Array.from({ length: 200 }, (_, i) => [
    `Content-Type: multipart/mixed; boundary=b${i}`,
    '',
    `--b${i}`,
  ]).flat();
  const given = { ...mail(...deep), envelope: { subject: 'deep\u0000', date: 'never' } };
  const { fields, attachments } = await readMail(given, 'own');
  expect([fields['Text'], attachments]).toEqual(['', []]);
});

test('who may read a folder is never more than its access list says', () => {
  const read = (text: string) => readersIn(text.split(' '));
  expect(read('ann lrws sam lr bob l $north lr group:south r anyone lr')).toEqual({
    users: ['ann', 'sam'],
    groups: ['north', 'south'],
    told: { isOpen: true, users: ['ann', 'sam'], groups: ['north', 'south'] },
  });
  expect(read('ann lr sam lr -sam r')).toEqual({ users: ['ann'], groups: [] });
  expect(read('ann lr $north lr -sam r')).toMatchObject({ users: [], groups: [] });
  expect(read('ann lr -$north r')).toMatchObject({
    users: [],
    narrowedBy: expect.any(String),
    told: { users: ['ann'], groups: [] },
  });
  expect(read('ann')).toEqual({ users: [], groups: [] });
});

test('a set of numbers is written as ranges, and read again', () => {
  expect(writeRanges([7, 1, 2, 3, 3, 9])).toBe('1:3,7,9');
  expect([...readRanges('1:3,7,9')]).toEqual([1, 2, 3, 7, 9]);
  expect([writeRanges([]), readRanges('').size]).toEqual(['', 0]);
});
