export interface ResetMailContent {
  readonly userName: string;
  readonly link: string;
  readonly minutes: number;
}

export function passwordResetMail(to: string, content: ResetMailContent): Mail {
  const { userName, link, minutes } = content;
  const what = `Somebody, probably you, asked for a new password for the user ${userName}.`;
  const then = `The link works once, for ${minutes} minutes. If it was not you, do nothing: the password stays as it is.`;
  return {
    to,
    subject: 'Set a new password for Trellis',
    text: `${what}\n\nSet one here:\n${link}\n\n${then}\n`,
    html: [
      `<p>${escapeHtml(what)}</p>`,
      `<p><a href="${escapeHtml(link)}">Set a new password</a></p>`,
      `<p>${escapeHtml(then)}</p>`,
    ].join('\n'),
  };
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}

export interface Mail {
  /** One address. */
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** Outgoing mail. */
export interface MailSender {
  /** Soon, in the background: a mail that cannot be sent is a line in the log. */
  send(mail: Mail): void;
}
