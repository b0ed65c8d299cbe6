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
