'use strict';
// Comfort only: filters, cards and timelines work without it.
(() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const cards = all('.card');
  for (const tool of all('.tools, .copy')) tool.hidden = false;

  const search = document.querySelector('#search');
  const find = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let found = 0;
    for (const card of cards) {
      const text = all(':scope > summary, .citation, .reason', card)
        .map((part) => part.textContent.toLowerCase()).join(' ');
      card.hidden = !words.every((word) => text.includes(word));
      found += !card.hidden;
    }
    for (const section of all('main > section')) {
      section.hidden = !section.querySelector('.card:not([hidden])');
    }
    document.querySelector('.nothing').hidden = found > 0;
  };
  search.addEventListener('input', find);

  const unfold = document.querySelector('#unfold');
  unfold.addEventListener('click', () => {
    const open = unfold.textContent === 'Unfold all';
    for (const card of cards) card.open = open;
    unfold.textContent = open ? 'Fold all' : 'Unfold all';
  });

  for (const button of all('.copy')) {
    const text = button.parentElement.querySelector('code').textContent;
    button.addEventListener('click', async () => {
      try {
        await navigator.clipboard.writeText(text);
        button.textContent = 'Copied';
      } catch {
        getSelection().selectAllChildren(button.parentElement.querySelector('code'));
        button.textContent = 'Selected';
      }
      setTimeout(() => { button.textContent = 'Copy'; }, 2000);
    });
  }

  const follow = () => {
    const card = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (card && card.classList.contains('card')) {
      card.open = true;
      card.scrollIntoView();
    }
  };
  addEventListener('hashchange', follow);
  follow();
})();
