import { type RefObject, useEffect, useRef } from 'react';

/**
 * CodeMirror writes its style sheets at run time. In a document that is a `<style>` element, which
 * the content security policy of the page refuses; in a shadow root it is an adopted style sheet,
 * which is no inline style (style-mod, `StyleSet`).
 *
 * Calls `mount` once with an element in a shadow root of its own, and what it returned when the
 * component goes.
 */
export function useShadowRoot(
  mount: (parent: HTMLElement, root: ShadowRoot) => () => void,
): RefObject<HTMLDivElement | null> {
  const host = useRef<HTMLDivElement>(null);
  const latest = useRef(mount);
  latest.current = mount;
  useEffect(() => {
    const element = host.current;
    if (element === null) return undefined;
    const root = element.shadowRoot ?? element.attachShadow({ mode: 'open' });
    const parent = document.createElement('div');
    parent.style.height = '100%';
    root.append(parent);
    const unmount = latest.current(parent, root);
    return () => {
      unmount();
      parent.remove();
    };
  }, []);
  return host;
}
