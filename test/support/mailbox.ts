import { once } from 'node:events';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';

export const MAIL_USER = 'post';
export const MAIL_PASSWORD = 'p@ss/word';

/** A mail server on a free port of this machine; what arrives is kept. */
export class Mailbox implements AsyncDisposable {
  readonly mails: Email[] = [];
  /** Whom the envelope of each mail names. */
  readonly recipients: string[][] = [];
  /** What it answers instead of taking a mail, the next first; null takes it. */
  readonly answers: (number | null)[] = [];
  /** How many mails were tried. */
  attempts = 0;
  readonly #server: SMTPServer;
  #wake = Promise.withResolvers<void>();

  private constructor() {
    this.#server = new SMTPServer({
      disabledCommands: ['STARTTLS'],
      allowInsecureAuth: true,
      onAuth: ({ username, password }, _session, callback) => {
        if (username === MAIL_USER && password === MAIL_PASSWORD)
          callback(null, { user: username });
        else callback(new Error('wrong user or password'));
      },
      onMailFrom: (_address, _session, callback) => {
        this.attempts++;
        const responseCode = this.answers.shift() ?? null;
        if (responseCode === null) callback();
        else callback(Object.assign(new Error('not now'), { responseCode }));
      },
      onData: (stream, { envelope }, callback) => {
        this.recipients.push(envelope.rcptTo.map(({ address }) => address));
        void this.#take(stream).then(() => callback(), callback);
      },
    });
    // A client that goes away in the middle is not the server's end.
    this.#server.on('error', () => undefined);
  }

  static async open(): Promise<Mailbox> {
    const mailbox = new Mailbox();
    mailbox.#server.listen(0, '127.0.0.1');
    await once(mailbox.#server.server, 'listening');
    return mailbox;
  }

  get url(): string {
    const address = this.#server.server.address();
    if (typeof address !== 'object' || address === null) throw new Error('it does not listen');
    const password = encodeURIComponent(MAIL_PASSWORD);
    return `smtp://${MAIL_USER}:${password}@127.0.0.1:${address.port}`;
  }

  /** Waits until so many mails have come, and answers the last of them. */
  async mail(count: number): Promise<Email> {
    while (this.mails.length < count) await this.#wake.promise;
    const mail = this.mails[count - 1];
    if (mail === undefined) throw new Error(`no mail ${count}`);
    return mail;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await new Promise<void>((resolve) => this.#server.close(resolve));
  }

  async #take(stream: AsyncIterable<Uint8Array>): Promise<void> {
    const chunks: Uint8Array[] = [];
    for await (const chunk of stream) chunks.push(chunk);
    this.mails.push(await PostalMime.parse(Buffer.concat(chunks)));
    this.#wake.resolve();
    this.#wake = Promise.withResolvers();
  }
}
