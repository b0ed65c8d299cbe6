import { expect, test } from 'vitest';
import { passwordResetMail } from './password-reset-service.ts';

test('what people called themselves is text in the mail, not markup', () => {
  const mail = passwordResetMail('a@example.com', {
    userName: '<a href="https://evil.example">O\'Hara & Sons</a>',
    link: 'https://trellis.example/#/reset-password?token=abc',
    minutes: 30,
  });
  expect(mail.html.match(/<a /g)).toHaveLength(1);
  expect(mail.html).toContain('O&#39;Hara &amp; Sons');
  expect(mail.html).toContain('href="https://trellis.example/#/reset-password?token=abc"');
  expect(mail.text).toContain('https://trellis.example/#/reset-password?token=abc\n');
  expect(mail.subject).not.toContain('evil');
});
