import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { PlainBrowser, type Form } from './plain-browser.ts';
import { newKeyPair } from './saml-idp.ts';
import { ANN, openSamlScene, submit, type SamlScene } from './saml-scene.ts';
import { refusal } from './sso-workspace.ts';

let scene: SamlScene;
beforeAll(async () => {
  scene = await openSamlScene();
});
afterAll(() => scene[Symbol.asyncDispose]());
beforeEach(() => scene.configure());

/** The form with other XML in it. */
function tampered(form: Form, change: (xml: string) => string): Form {
  const xml = Buffer.from(form.fields['SAMLResponse'] ?? '', 'base64').toString('utf8');
  const changed = change(xml);
  expect(changed).not.toBe(xml);
  const SAMLResponse = Buffer.from(changed).toString('base64');
  return { ...form, fields: { ...form.fields, SAMLResponse } };
}

describe('a response is refused', () => {
  const refused = async (options: object): Promise<unknown[]> => {
    scene.idp.options = { ...options };
    return refusal(await submit(await scene.comeBack(new PlainBrowser())));
  };

  test.each<[string, object, string]>([
    ['that is not signed', { signAssertion: false }, 'invalid_signature'],
    ['signed with SHA-1', { signatureAlgorithm: 'rsa-sha1' }, 'weak_signature'],
    ['digested with SHA-1', { digestAlgorithm: 'sha1' }, 'weak_signature'],
    ['for another audience', { audience: 'https://other.example' }, 'wrong_audience'],
    ['for another recipient', { recipient: 'https://other.example' }, 'wrong_recipient'],
    ['sent elsewhere', { destination: 'https://other.example' }, 'wrong_destination'],
    ['of another provider', { issuer: 'https://other.example' }, 'wrong_issuer'],
    ['to another request', { inResponseTo: '_of-somebody-else' }, 'not_our_request'],
    ['that has expired', { lifetimeInSeconds: -120 }, 'expired'],
  ])('%s', async (_case, options, reason) => {
    expect(await refused(options)).toEqual([401, 'sso_failed', reason]);
  });

  test('signed with another key, whose certificate it brings along', async () => {
    expect(await refused(await newKeyPair())).toEqual([401, 'sso_failed', 'invalid_signature']);
  });

  test('that is a failure', async () => {
    scene.idp.options = {};
    const form = tampered(await scene.comeBack(new PlainBrowser()), (xml) =>
      xml
        .replace('status:Success', 'status:Responder')
        .replace(/<saml:Assertion[\s\S]*<\/saml:Assertion>/, ''),
    );
    expect(refusal(await submit(form))).toEqual([401, 'sso_failed', 'refused_by_provider']);
  });

  test('that nobody asked for', async () => {
    const { action, fields } = await scene.comeBack(new PlainBrowser());
    const { SAMLResponse = '' } = fields;
    const unsolicited = { action, fields: { SAMLResponse } };
    expect(refusal(await submit(unsolicited))).toEqual([401, 'sso_failed', 'unsolicited']);
    const forged = { action, fields: { SAMLResponse, RelayState: '/' } };
    expect(refusal(await submit(forged))).toEqual([400, 'sso_state_invalid']);
    const { RelayState = '' } = (await scene.comeBack(new PlainBrowser())).fields;
    const swapped = { action, fields: { SAMLResponse, RelayState } };
    expect(refusal(await submit(swapped))).toEqual([401, 'sso_failed', 'not_our_request']);
  });

  test('the second time, and after a restart too', async () => {
    const form = await scene.comeBack(new PlainBrowser());
    expect((await submit(form)).status).toBe(303);
    expect(refusal(await submit(form))).toEqual([401, 'sso_failed', 'assertion_replayed']);
    await scene.at.restart();
    expect(refusal(await submit(form))).toEqual([401, 'sso_failed', 'assertion_replayed']);
  });

  test('once of many at the same time', async () => {
    const form = await scene.comeBack(new PlainBrowser());
    const visits = await Promise.all(Array.from({ length: 8 }, () => submit(form)));
    expect(visits.filter(({ status }) => status === 303)).toHaveLength(1);
  });

  test('a second assertion for the same request', async () => {
    const browser = new PlainBrowser();
    const { url } = await scene.begin(browser);
    expect((await submit(await scene.idp.answer(browser, url))).status).toBe(303);
    expect(refusal(await submit(await scene.idp.answer(browser, url)))).toEqual([
      401,
      'sso_failed',
      'request_answered_before',
    ]);
  });

  test('in another form: not a form, without a response, too large, twice', async () => {
    const send = (body: string, contentType = 'application/x-www-form-urlencoded') =>
      scene.at.http.send({
        path: '/api/saml/acs',
        body,
        headers: { 'content-type': contentType },
      });
    expect(refusal(await send('{}', 'application/json'))).toEqual([415, 'unsupported_media_type']);
    expect(refusal(await send('RelayState=x'))).toEqual([400, 'invalid_request']);
    expect(refusal(await send(`SAMLResponse=${'A'.repeat(600_000)}`))).toEqual([
      400,
      'invalid_request',
    ]);
    expect(refusal(await send('SAMLResponse=AA&SAMLResponse=BB'))).toEqual([
      400,
      'invalid_request',
    ]);
  });
});

describe('a tampered response is refused', () => {
  const ASSERTION = /<saml:Assertion[\s\S]*<\/saml:Assertion>/;
  const refusedAfter = async (change: (xml: string) => string): Promise<unknown[]> =>
    refusal(await submit(tampered(await scene.comeBack(new PlainBrowser()), change)));
  const invalid = [401, 'sso_failed', 'invalid_signature'];

  test('with another address in the signed part', async () => {
    expect(await refusedAfter((xml) => xml.replaceAll('ann@', 'eve@'))).toEqual(invalid);
  });

  test('with the signature taken out', async () => {
    const withoutSignature = (xml: string): string =>
      xml.replace(/<(\w+:)?Signature [\s\S]*<\/(\w+:)?Signature>/, '');
    expect(await refusedAfter(withoutSignature)).toEqual(invalid);
  });

  /**
   * Signature wrapping: the signed assertion stays somewhere, and another one stands where it is
   * looked for.
   */
  const evil = (assertion: string): string =>
    assertion
      .replaceAll('ann@', 'eve@')
      .replace(/ID="[^"]*"/, 'ID="_evil"')
      .replace(/<(\w+:)?Signature [\s\S]*<\/(\w+:)?Signature>/, '');
  const wrappings: readonly [string, (assertion: string) => string][] = [
    ['beside, the forged one first', (good) => evil(good) + good],
    ['beside, the forged one last', (good) => good + evil(good)],
    ['inside the forged one', (good) => evil(good).replace('<saml:Subject>', `${good}$&`)],
    ['in an extension', (good) => `<samlp:Extensions>${good}</samlp:Extensions>${evil(good)}`],
    [
      'in an object of the signature of the forged one',
      (good) => {
        const signature = /<(\w+:)?Signature [\s\S]*<\/(\w+:)?Signature>/.exec(good)?.[0] ?? '';
        const wrapped = signature.replace(
          /<\/(\w*:?)Signature>$/,
          `<$1Object>${good.replace(signature, '')}</$1Object>$&`,
        );
        return evil(good).replace('<saml:Subject>', `${wrapped}$&`);
      },
    ],
    [
      'under the id of the signed one',
      (good) => {
        const id = /ID="([^"]*)"/.exec(good)?.[1] ?? '';
        return evil(good).replace('ID="_evil"', `ID="${id}"`) + good;
      },
    ],
  ];
  test.each(wrappings)('with the signed assertion %s', async (_case, wrap) => {
    const wrapped = (xml: string): string => xml.replace(ASSERTION, (good) => wrap(good));
    const [status, code] = await refusedAfter(wrapped);
    expect([status, code]).toEqual([401, 'sso_failed']);
  });

  test('with a comment inside a name, a document type, or CDATA', async () => {
    const unusual = [401, 'sso_failed', 'unusual_markup'];
    scene.idp.person = { ...ANN, email: 'ann@example.com.evil.example', nameId: 'a-1.evil' };
    expect(
      await refusedAfter((xml) =>
        xml.replaceAll('ann@example.com.evil', 'ann@example.com<!---->.evil'),
      ),
    ).toEqual(unusual);
    expect(await refusedAfter((xml) => xml.replace('a-1.evil', 'a-1<!-- -->.evil'))).toEqual(
      unusual,
    );
    expect(
      await refusedAfter((xml) => `<!DOCTYPE a [<!ENTITY e SYSTEM "file:///etc/passwd">]>${xml}`),
    ).toEqual(unusual);
    expect(await refusedAfter((xml) => xml.replace('a-1', '<![CDATA[a-1]]>'))).toEqual(unusual);
  });

  test('and what is no XML', async () => {
    const form = await scene.comeBack(new PlainBrowser());
    for (const SAMLResponse of ['x', Buffer.from('<a').toString('base64'), '%%%', 'PGEvPg==']) {
      const visit = await submit({ ...form, fields: { ...form.fields, SAMLResponse } });
      expect(refusal(visit).slice(0, 2)).toEqual([401, 'sso_failed']);
    }
  });
});
