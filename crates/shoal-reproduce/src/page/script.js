// Scales: one of the pictures is shown.
const boxes = [...document.querySelectorAll('.controls input')];
const pictures = [...document.querySelectorAll('.picture')];
const show = () => {
  const wanted = axis => {
    const box = boxes.find(box => box.dataset.axis === axis);
    return box ? String(box.checked) : null;
  };
  const [x, y] = [wanted('x'), wanted('y')];
  for (const picture of pictures) {
    picture.hidden = (x !== null && picture.dataset.x !== x) || (y !== null && picture.dataset.y !== y);
  }
};
boxes.forEach(box => box.addEventListener('change', show));

// Series: a click on a name hides or shows it in all pictures.
const hidden = new Set();
const toggle = name => {
  hidden.has(name) ? hidden.delete(name) : hidden.add(name);
  for (const part of document.querySelectorAll('[data-series]')) {
    const off = hidden.has(part.dataset.series);
    if (part.classList.contains('key')) {
      part.style.opacity = off ? 0.3 : 1;
      part.setAttribute('aria-pressed', String(!off));
    } else {
      part.style.display = off ? 'none' : '';
    }
  }
};
for (const key of document.querySelectorAll('.key')) {
  key.setAttribute('role', 'button');
  key.setAttribute('tabindex', '0');
  key.setAttribute('aria-pressed', 'true');
  key.addEventListener('click', () => toggle(key.dataset.series));
  key.addEventListener('keydown', event => {
    if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault();
      toggle(key.dataset.series);
    }
  });
}

// Values: beside the pointer.
const tip = document.createElement('div');
tip.className = 'tip';
tip.hidden = true;
document.body.append(tip);
document.addEventListener('pointermove', event => {
  const mark = event.target.closest ? event.target.closest('[data-tip]') : null;
  tip.hidden = !mark;
  if (!mark) return;
  tip.textContent = mark.dataset.tip;
  const left = Math.min(event.clientX + 14, window.innerWidth - tip.offsetWidth - 8);
  const above = event.clientY + 18 + tip.offsetHeight > window.innerHeight;
  tip.style.left = `${Math.max(8, left)}px`;
  tip.style.top = `${above ? event.clientY - tip.offsetHeight - 10 : event.clientY + 18}px`;
});
